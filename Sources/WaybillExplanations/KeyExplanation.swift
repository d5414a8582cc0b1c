import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// The description of a key in the schema of manifests. A key with different meanings in different constructs has an
/// entry for each.
package struct KeyExplanation: Sendable, Equatable {
    package let key: ManifestKey
    /// The keys of its value, if that is a mapping with fixed keys.
    package let keys: [String]
    /// The constructs that may contain it, in words: `a step`, `'retry'`.
    package internal(set) var locations: [String]

    /// The entries of every key.
    private static let index = KeyIndex(schema: (try? JSONParser().parse(EmbeddedSchema.manifest.text)) ?? .null)

    /// Returns the meanings of a key, in the order of the schema; empty if there is no such key.
    ///
    /// - Parameter key: A key, also after the one that contains it: `retry.times`.
    package static func of(_ key: String) -> [KeyExplanation] {
        guard let dot = key.lastIndex(of: "."), dot != key.startIndex else { return index.entries(of: key) }
        let parent = key[..<dot].split(separator: ".").last ?? ""
        return index.entries(of: String(key[dot...].dropFirst())).filter { $0.locations.contains("'\(parent)'") }
    }

    /// Every key.
    package static var keys: [String] { index.keys }
}

/// The keys of a schema and the definitions that they belong to.
private struct KeyIndex {
    /// The names, for people, of the definitions that are whole mappings of a manifest.
    private static let levels = [
        "defaults": "'defaults'", "service": "a service", "endpoint": "an endpoint", "inPlace": "'request'",
        "graph": "a graph", "step": "a step", "environment": "an environment", "keywords": "a JSON Schema",
    ]

    private let definitions: JSON
    private let reader: ManifestKeyReader
    /// Where a definition is used, in words.
    private var users: [String: [String]] = [:]
    /// The definitions that a definition's own `$ref` adds its keys to.
    private var extended: [String: [String]] = [:]
    /// The entries by their key; locations are names of definitions (`#step`) or words.
    private var found: [String: [KeyExplanation]] = [:]

    init(schema: JSON) {
        definitions = schema["$defs"] ?? .null
        reader = ManifestKeyReader(definitions: definitions)
        var top = schema.object ?? JSONObject()
        top["$defs"] = nil
        visit(.object(top), location: "the manifest", definition: nil)
        for (name, definition) in definitions.object ?? JSONObject() {
            if let base = ManifestKeyReader.reference(in: definition) { extended[base, default: []].append(name) }
            visit(definition, location: "#\(name)", definition: name)
        }
    }

    var keys: [String] { found.keys.sorted() }

    func entries(of key: String) -> [KeyExplanation] {
        (found[key] ?? []).map { entry in
            var entry = entry
            var seen: Set<String> = []
            entry.locations = entry.locations.flatMap { locations(of: $0) }.filter { seen.insert($0).inserted }
            return entry
        }
    }

    // MARK: Reading

    private mutating func visit(_ schema: JSON, location: String, definition: String?) {
        switch schema {
        case .array(let parts):
            for part in parts { visit(part, location: location, definition: definition) }
        case .object(let members):
            for (keyword, value) in members {
                switch keyword {
                case "properties":
                    for (key, property) in value.object ?? JSONObject() {
                        note(key, property, at: location)
                        visit(property, location: "'\(key)'", definition: nil)
                    }
                case "$ref":
                    // A definition extends the one that it refers to as a whole.
                    if definition == nil || schema != definitions[definition ?? ""],
                        let name = ManifestKeyReader.reference(in: schema)
                    {
                        users[name, default: []].append(location)
                    }
                case "enum", "const", "examples", "default", "not", "x-waybill-error": break
                default: visit(value, location: location, definition: definition)
                }
            }
        default: break
        }
    }

    private mutating func note(_ key: String, _ property: JSON, at location: String) {
        guard let described = reader.key(key, property) else { return }
        let entry = KeyExplanation(key: described, keys: keys(of: property), locations: [location])
        let same = found[key]?.firstIndex { other in
            other.key.text == described.text && other.key.type == described.type
                && other.key.defaultValue == described.defaultValue
        }
        if let same {
            found[key]?[same].locations.append(location)
        } else {
            found[key, default: []].append(entry)
        }
    }

    /// Returns the keys of a mapping with fixed keys, including those of its alternatives, without the settings that it
    /// may have.
    private func keys(of schema: JSON) -> [String] {
        let own = Self.ownKeys(of: schema)
        guard own.isEmpty, let name = ManifestKeyReader.reference(in: schema) else { return own }
        return Self.ownKeys(of: definitions[name] ?? .null)
    }

    private static func ownKeys(of schema: JSON) -> [String] {
        var keys = schema["properties"]?.object?.names ?? []
        for alternative in ["oneOf", "anyOf"].flatMap({ schema[$0]?.array ?? [] }) {
            for key in ownKeys(of: alternative) where !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    // MARK: Words

    /// Returns the constructs that use a definition, in words; words are returned as they are.
    private func locations(of location: String, excluding known: Set<String> = []) -> [String] {
        guard location.hasPrefix("#") else { return [location] }
        let name = String(location.dropFirst())
        guard !known.contains(name) else { return [] }
        let known = known.union([name])
        if let level = Self.levels[name] { return [level] }
        let extending = (extended[name] ?? []).flatMap { locations(of: "#\($0)", excluding: known) }
        return extending + (users[name] ?? []).flatMap { locations(of: $0, excluding: known) }
    }
}
