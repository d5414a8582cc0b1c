import CExplanations
import WaybillJSON
import WaybillManifest

/// The reference of keys.
struct KeyReference {
    /// A title, an introduction, and the definition whose keys the section has; `nil` for the manifest itself.
    private typealias Section = (title: String, introduction: String, definition: String?)

    /// The sections, in `Sources/CExplanations/keys.json`.
    private static let sections: [Section] = (JSON(embedded: explanation_keys()).array ?? []).map {
        ($0["title"]?.string ?? "", $0["introduction"]?.string ?? "", $0["definition"]?.string)
    }

    /// Definitions with a section of their own, which other keys do not repeat.
    private static let separate: Set = Set(
        sections.compactMap(\.definition) + ["inPlace", "filterList", "jsonSchema", "schemaOrFile", "steps", "step"]
    )

    /// Definitions of values that are described once.
    private static let values = [
        "duration", "size", "rate", "expression", "condition", "id", "status", "mediaRange", "onFailure",
    ]

    private let schema: JSON
    private let reader: ManifestKeyReader

    init() {
        schema = (try? JSONParser().parse(EmbeddedSchema.manifest.text)) ?? .null
        reader = ManifestKeyReader(definitions: schema["$defs"] ?? .null)
    }

    var markdown: String {
        var text = "# Keys of a manifest\n\n"
        text +=
            "`waybill explain KEY` prints the same in the terminal. A value in parentheses at the end of a description is"
        text += " the default.\n"
        text += "\n## Values\n\n"
        text += Markdown.table(
            ["value", "what it is"],
            Self.values.map { [$0, Markdown.prose(reader.definitions[$0]?["description"]?.string ?? "")] }
        )
        for section in Self.sections { text += self.text(of: section) }
        return text
    }

    private func text(of section: Section) -> String {
        let definition = section.definition.map { reader.definitions[$0] ?? .null } ?? schema
        var text = "\n## \(section.title)\n\n\(section.introduction)\n"
        let keys = properties(of: definition, depth: 0)
        if section.definition == "keywords" || section.definition == "intercept" {
            return text + "\n" + table(keys.compactMap { reader.key($0.name, $0.schema) })
        }
        for (name, property) in keys {
            guard let key = reader.key(name, property) else { continue }
            text += "\n### `\(name)`\n\n\(Markdown.prose(key.text))\n"
            let facts = [
                key.type.map { "Type: \(Markdown.prose($0.split(separator: " | ").joined(separator: " or ")))" },
                key.defaultValue.map { "Default: \(Markdown.code(YAMLExample.flow($0, inFlow: false)))" },
            ]
            let line = facts.compactMap { $0 }.joined(separator: " · ")
            if !line.isEmpty { text += "\n\(line)\n" }
            if let example = key.exampleText { text += "\n" + Markdown.block("yaml", example) }
            let nested = nestedKeys(of: property, prefix: "", depth: 0)
            if !nested.isEmpty { text += "\n" + table(nested) }
        }
        return text
    }

    private func table(_ keys: [ManifestKey]) -> String {
        let rows = keys.map { key in
            let example = key.example.map { YAMLExample.flow($0, inFlow: false) } ?? ""
            return [Markdown.code(key.name), Markdown.prose(key.text), Markdown.code(example)]
        }
        return Markdown.table(["key", "what it does", "example"], rows)
    }

    // MARK: Reading the schema

    /// The keys of a mapping and of its alternatives, without those of the definitions that it extends.
    private func properties(of schema: JSON, depth: Int) -> [(name: String, schema: JSON)] {
        guard depth < 4 else { return [] }
        var found: [(name: String, schema: JSON)] = []
        func add(_ more: [(name: String, schema: JSON)]) {
            for key in more where !found.contains(where: { $0.name == key.name }) { found.append(key) }
        }
        add((schema["properties"]?.object ?? JSONObject()).map { ($0.name, $0.value) })
        for alternative in ["oneOf", "anyOf"].flatMap({ schema[$0]?.array ?? [] }) {
            add(properties(of: alternative, depth: depth + 1))
        }
        if let items = schema["items"] { add(properties(of: items, depth: depth + 1)) }
        return found
    }

    /// The keys inside the value of a key, with the path to each.
    private func nestedKeys(of property: JSON, prefix: String, depth: Int) -> [ManifestKey] {
        guard depth < 7 else { return [] }
        if let name = ManifestKeyReader.reference(in: property), property["properties"] == nil {
            if Self.separate.contains(name) { return [] }
            return nestedKeys(of: reader.definitions[name] ?? .null, prefix: prefix, depth: depth + 1)
        }
        var keys: [ManifestKey] = []
        func add(_ more: [ManifestKey]) {
            for key in more where !keys.contains(where: { $0.name == key.name && $0.text == key.text }) {
                keys.append(key)
            }
        }
        for (name, value) in property["properties"]?.object ?? JSONObject() {
            guard var key = reader.key(name, value) else { continue }
            key.name = prefix + name
            add([key])
            add(nestedKeys(of: value, prefix: "\(prefix)\(name).", depth: depth + 1))
        }
        for alternative in ["oneOf", "anyOf"].flatMap({ property[$0]?.array ?? [] }) {
            add(nestedKeys(of: alternative, prefix: prefix, depth: depth))
        }
        if let others = property["additionalProperties"], others.object != nil {
            add(nestedKeys(of: others, prefix: "\(prefix)NAME.", depth: depth + 1))
        }
        if let items = property["items"] {
            let list = prefix.isEmpty ? "" : String(prefix.dropLast())
            add(nestedKeys(of: items, prefix: "\(list)[].", depth: depth + 1))
        }
        return keys
    }
}
