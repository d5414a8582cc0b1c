package import WaybillJSON
import WaybillManifest

/// The schema of manifests in a form for editors whose language server does not know all of JSON Schema 2020-12.
///
/// It is a schema of draft 7. Every mapping lists all of its keys, instead of extending another definition, and closes
/// with `additionalProperties: false`. Alternatives have titles and descriptions. Keys have `markdownDescription`, with
/// their example, and `defaultSnippets`, which Visual Studio Code inserts.
package enum FlatSchema {
    /// The schema.
    package static var json: JSON {
        let schema = (try? JSONParser().parse(EmbeddedSchema.manifest.text)) ?? .null
        return Flattening(definitions: schema["$defs"] ?? .null).schema(from: schema)
    }

    /// The schema as text that ends in a line break.
    package static var text: [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter(layout: .pretty).write(json, to: &bytes)
        return bytes + [UInt8(ascii: "\n")]
    }
}

private struct Flattening {
    /// The definitions of the schema, by name.
    let definitions: JSON

    /// Keywords that are replaced or that only the program reads.
    private static let omitted: Set = [
        "$defs", "$schema", "$id", "unevaluatedProperties", "dependentRequired", "examples", "x-waybill-error",
        "x-waybill-template", "x-waybill-expression",
    ]
    /// The maximum size in bytes of a definition that is copied to where it is used.
    private static let longestCopy = 700

    func schema(from document: JSON) -> JSON {
        var result = JSONObject()
        result["$schema"] = "http://json-schema.org/draft-07/schema#"
        result["$id"] = .string(EmbeddedSchema.identifier("manifest.flat"))
        for (name, value) in flat(document).object ?? JSONObject() { result[name] = value }
        var flatDefinitions = JSONObject()
        // Definitions that others only extend, or that are copied, are not needed themselves.
        var waiting = references(in: .object(result))
        while let name = waiting.popLast() {
            guard flatDefinitions[name] == nil else { continue }
            let definition = flatDefinition(name)
            flatDefinitions[name] = definition
            waiting += references(in: definition)
        }
        let sorted = flatDefinitions.sorted { $0.name.precedesByCodePoints($1.name) }
        result["definitions"] = .object(JSONObject(sorted))
        return .object(result)
    }

    /// Returns the definition of a name. `settings.timeout` is the key `timeout` of the definition `settings`, which
    /// several others extend.
    private func flatDefinition(_ name: String) -> JSON {
        guard let dot = name.firstIndex(of: ".") else { return flat(definitions[name] ?? .null) }
        let key = String(name[dot...].dropFirst())
        return property(key, definitions[String(name[..<dot])]?["properties"]?[key] ?? .null)
    }

    private func references(in schema: JSON) -> [String] {
        switch schema {
        case .array(let parts): return parts.flatMap { references(in: $0) }
        case .object(let members):
            return members.flatMap { name, value -> [String] in
                guard name == "$ref", let text = value.string else { return references(in: value) }
                return [String(text.dropFirst("#/definitions/".count))]
            }
        default: return []
        }
    }

    // MARK: Schemas

    /// Returns a schema without what draft 7 does not have.
    private func flat(_ schema: JSON) -> JSON {
        guard let written = schema.object else { return schema }
        var members = written
        if let name = ManifestKeyReader.reference(in: schema) {
            if extends(written) {
                members = merged(name, into: written)
            } else if let copy = copy(of: name) {
                // Draft 7 ignores everything beside '$ref'.
                members = copy
                for (key, value) in written where key != "$ref" { members[key] = value }
            } else {
                return .object(JSONObject([("$ref", .string("#/definitions/\(name)"))]))
            }
        }
        var result = JSONObject()
        for (name, value) in members where !Self.omitted.contains(name) && !name.hasPrefix("x-waybill") {
            switch name {
            case "properties", "patternProperties":
                result[name] = .object(
                    JSONObject((value.object ?? JSONObject()).map { ($0.name, property($0.name, $0.value)) })
                )
            case "items", "additionalProperties", "propertyNames", "not", "contains": result[name] = flat(value)
            case "oneOf", "anyOf", "allOf": result[name] = .array((value.array ?? []).map { alternative(flat($0)) })
            default: result[name] = value
            }
        }
        if let needed = members["dependentRequired"] { result["dependencies"] = needed }
        if members["unevaluatedProperties"] != nil {
            // 'additionalProperties' knows only the keys beside it, not those of alternatives.
            var properties = result["properties"]?.object ?? JSONObject()
            for (key, value) in alternativeProperties(of: result) where properties[key] == nil {
                properties[key] = value
            }
            if !properties.isEmpty {
                result["properties"] = .object(properties)
                result["additionalProperties"] = false
            }
        }
        return .object(result)
    }

    /// Returns the keys of a schema's alternatives. One whose schema differs between them may have any value.
    private func alternativeProperties(of schema: JSONObject) -> JSONObject {
        var found = JSONObject()
        for alternative in ["oneOf", "anyOf"].flatMap({ schema[$0]?.array ?? [] }) {
            for (key, value) in alternative["properties"]?.object ?? JSONObject() {
                found[key] = found[key].map { $0 == value ? value : true } ?? value
            }
        }
        return found
    }

    /// Whether a schema adds keys to those of the definition that it refers to.
    private func extends(_ schema: JSONObject) -> Bool {
        schema["properties"] != nil || schema["unevaluatedProperties"] != nil
    }

    /// Returns a definition whose content is short and refers to no other one, as most that describe a single value are.
    private func copy(of name: String) -> JSONObject? {
        guard let definition = definitions[name]?.object, definition["properties"] == nil else { return nil }
        let text = JSONWriter().string(.object(definition))
        return text.utf8.count <= Self.longestCopy && !text.contains("#/$defs/") ? definition : nil
    }

    /// Returns a schema with the keys of the definition that it extends, and of those that this one extends.
    private func merged(_ name: String, into schema: JSONObject) -> JSONObject {
        var base = definitions[name]?.object ?? JSONObject()
        if let next = ManifestKeyReader.reference(in: .object(base)) { base = merged(next, into: base) }
        var result = schema
        result["$ref"] = nil
        var properties = base["properties"]?.object ?? JSONObject()
        for (key, value) in definitions[name]?["properties"]?.object ?? JSONObject() where properties[key] == value {
            properties[key] = ["$ref": .string("#/$defs/\(name).\(key)")]
        }
        for (key, value) in schema["properties"]?.object ?? JSONObject() { properties[key] = value }
        result["properties"] = .object(properties)
        for (key, value) in base where result[key] == nil && key != "$ref" && key != "description" {
            result[key] = value
        }
        return result
    }

    // MARK: Help for people

    /// Returns the schema of a key, with its example.
    private func property(_ name: String, _ schema: JSON) -> JSON {
        guard let key = ManifestKeyReader(definitions: definitions).key(name, schema), let example = key.example,
            var result = flat(schema).object
        else { return flat(schema) }
        if result["$ref"] != nil {
            // The definition has a description of its own.
            return .object(result)
        }
        let sample = Markdown.block("yaml", YAMLExample.text(name, example))
        result["markdownDescription"] = .string("\(key.text)\n\n\(sample)")
        result["defaultSnippets"] = [
            ["label": .string(name), "description": .string(key.text), "body": Self.snippet(example)]
        ]
        return .object(result)
    }

    /// Returns the example as a snippet, in which editors replace `$name` unless the dollar sign is escaped.
    private static func snippet(_ example: JSON) -> JSON {
        switch example {
        case .string(let text): return .string(text.replacing("$", with: "\\$"))
        case .array(let elements): return .array(elements.map(snippet))
        case .object(let object):
            var result = JSONObject()
            for (name, value) in object { result[name] = snippet(value) }
            return .object(result)
        case .null, .bool, .number, .bytes: return example
        }
    }

    /// Returns an alternative with a title: its key, its value, or its type.
    private func alternative(_ schema: JSON) -> JSON {
        guard var result = schema.object, result["title"] == nil, result["$ref"] == nil else { return schema }
        let names = result["properties"]?.object?.names ?? []
        let key = result["required"]?[0]?.string ?? (names.count == 1 ? names[0] : nil)
        let constant = result["const"].map { $0.string ?? JSONWriter().string($0) }
        let types = result["type"].map { $0.array ?? [$0] }?.compactMap(\.string).joined(separator: " or ")
        if let title = key ?? constant ?? types { result["title"] = .string(title) }
        if result["description"] == nil, let key, let text = result["properties"]?[key]?["description"] {
            result["description"] = text
        }
        return .object(result)
    }
}
