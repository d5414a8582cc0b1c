import WaybillJSON
import WaybillSchema

/// The keys that each level of a manifest allows, for messages about where a misplaced key belongs.
struct ManifestLevels: Sendable {
    /// A mapping of the manifest that has its own keys beside settings.
    private struct Level {
        /// The name of its definition in the schema.
        let definition: String
        /// Its name in messages.
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

    /// Creates the levels from the schema of manifests.
    init(schema: JSON) {
        definitions = schema["$defs"] ?? .null
    }

    /// Returns where a key that is unknown at its level belongs; `nil` if no level has it, or if a typing error is more
    /// likely.
    func reason(against name: String, by violation: SchemaViolation) -> String? {
        let isAtLevel = Self.levels.contains { level in
            violation.absoluteKeywordLocation.hasSuffix("#/$defs/\(level.definition)/unevaluatedProperties")
        }
        // Elsewhere, a typing error is more likely than a wrong level.
        guard isAtLevel || violation.suggestion == nil && violation.instanceLocation.tokens.count == 1 else {
            return nil
        }
        let places = Self.levels.filter { has(name, $0.definition) }.map(\.words)
        guard let last = places.last else { return nil }
        let others = places.dropLast().joined(separator: ", ")
        return "it belongs to " + (others.isEmpty ? last : "\(others) or \(last)")
    }

    /// Whether a definition, or one that it references, has a key.
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
