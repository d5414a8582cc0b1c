import WaybillJSON
import WaybillSchema

/// Which keys may stand at which level of a manifest, to say of a key at the wrong level where it belongs.
struct ManifestLevels: Sendable {
    /// A mapping of the manifest that has keys of its own beside settings.
    private struct Level {
        /// The definition of the schema.
        let definition: String
        /// What people call it.
        let words: String
    }

    private static let levels = [
        Level(definition: "defaults", words: "'defaults'"),
        Level(definition: "service", words: "a service"),
        Level(definition: "endpoint", words: "an endpoint"),
        Level(definition: "inPlace", words: "'request'"),
        Level(definition: "graph", words: "a graph"),
        Level(definition: "step", words: "a step"),
    ]

    private let definitions: JSON

    /// The levels as the schema of manifests defines them.
    init(schema: JSON) {
        definitions = schema["$defs"] ?? .null
    }

    /// Where a key belongs that is not known where it stands, but is at other levels; `nil` where that says nothing.
    func reason(against name: String, by violation: SchemaViolation) -> String? {
        let isAtLevel = Self.levels.contains { level in
            violation.absoluteKeywordLocation.hasSuffix("#/$defs/\(level.definition)/unevaluatedProperties")
        }
        // Elsewhere a slip of the keyboard is more likely than a whole other level.
        guard isAtLevel || violation.suggestion == nil && violation.instanceLocation.tokens.count == 1 else {
            return nil
        }
        let places = Self.levels.filter { has(name, $0.definition) }.map(\.words)
        guard let last = places.last else { return nil }
        let others = places.dropLast().joined(separator: ", ")
        return "it belongs to " + (others.isEmpty ? last : "\(others) or \(last)")
    }

    /// Whether a definition, or one that it refers to, has a key.
    private func has(_ name: String, _ definition: String) -> Bool {
        var definition: String? = definition
        while let current = definition {
            let schema = definitions[current]
            if schema?["properties"]?[name] != nil { return true }
            definition = schema?["$ref"]?.string.map { String($0.dropFirst("#/$defs/".count)) }
        }
        return false
    }
}
