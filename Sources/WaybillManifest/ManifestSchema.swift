import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

/// The published schema of manifests, compiled, and the messages for its violations.
struct ManifestSchema: Sendable {
    private let schema: JSONSchema
    private let levels: ManifestLevels
    private let forms: ManifestForms

    /// The schema, shared by all manifests that the process reads. It is never released: freeing its thousands of parts
    /// takes as long as checking a small manifest.
    static let shared = ManifestSchema()

    /// The number of violations after which the rest of a manifest is not checked.
    private static let limit = 1000

    /// Creates the schema from the document embedded in the program, which is trusted: to compile all of it would take
    /// a third as long as a run of one request.
    private init() {
        do {
            let document = try JSONParser().parse(EmbeddedSchema.manifest.text)
            schema = try JSONSchema(trusting: document)
            levels = ManifestLevels(schema: document)
            forms = ManifestForms(schema: document)
        } catch {
            preconditionFailure("the schema of manifests that is embedded in the program is valid: \(error)")
        }
    }

    /// Validates a manifest, apart from violations that are consequences of errors that are already known.
    ///
    /// - Returns: The diagnostics, and all errors including the new ones.
    func check(_ node: YAMLNode, knowing faults: TreeErrors) -> (diagnostics: [Diagnostic], faults: TreeErrors) {
        let all = schema.validate(node.json, limit: Self.limit)
        guard !all.isEmpty else { return ([], faults) }
        let violations = all.filter { !faults.explain($0, in: node) }
        let diagnostics = diagnostics(for: violations, in: node)
        var faults = faults
        for violation in violations { faults.note(violation, in: node) }
        // A missing key is reported at the whole mapping, which can contain other errors too.
        for diagnostic in diagnostics where diagnostic.id != "missing-key" {
            diagnostic.primary.map { faults.note($0.span) }
        }
        if all.count >= Self.limit { faults.note(node) }
        return (diagnostics, faults)
    }

    private func diagnostics(for violations: [SchemaViolation], in node: YAMLNode) -> [Diagnostic] {
        var unknown: [JSONPointer: Int] = [:]
        for (index, violation) in violations.enumerated() {
            guard case .unknownName = violation.detail, violation.suggestion == nil else { continue }
            let mapping = JSONPointer(violation.instanceLocation.tokens.dropLast())
            if unknown[mapping] == nil { unknown[mapping] = index }
        }
        var diagnostics: [Int: Diagnostic] = [:]
        for (index, violation) in violations.enumerated() {
            diagnostics[index] = diagnostic(for: violation, in: node)
        }
        // If a mapping has an unknown key unlike any known one and a required key is missing, the unknown key was
        // probably
        // meant to be the missing one: both are reported as one diagnostic.
        for (index, violation) in violations.enumerated() {
            guard case .missingName(let names) = violation.detail, let first = unknown[violation.instanceLocation]
            else { continue }
            let missing = names.map { "'\($0)'" }.joined(separator: " or ")
            diagnostics[first]?.help.append("The key \(missing) is missing.")
            diagnostics[index] = nil
        }
        return violations.indices.compactMap { diagnostics[$0] }
    }

    private func diagnostic(for violation: SchemaViolation, in root: YAMLNode) -> Diagnostic {
        let key = root.keySpan(at: violation.instanceLocation)
        if case .unknownName(let name, _) = violation.detail, let reason = levels.reason(against: name, by: violation) {
            // A graph has 'tags', and a step 'tag'.
            let form = violation.suggestion.flatMap { name == "\($0)s" || $0 == "\(name)s" ? $0 : nil }
            return Diagnostic(
                "misplaced-key",
                "'\(name)' has no meaning here: \(reason)",
                at: key ?? root.span,
                label: form.map { "did you mean '\($0)'?" } ?? ""
            )
        }
        var diagnostic = violation.diagnostic(in: root, of: "the manifest")
        if let custom = violation.annotation?["x-waybill-error"] {
            diagnostic.id = custom["id"]?.string.map { DiagnosticID(stringLiteral: $0) } ?? diagnostic.id
            diagnostic.headline = custom["message"]?.string ?? diagnostic.headline
            diagnostic.help = custom["help"]?.string.map { [$0] } ?? []
        }
        let text = root.node(at: violation.instanceLocation)?.scalar?.text
        if diagnostic.help.isEmpty, ["wrong-type", "invalid-value", "missing-key"].contains(diagnostic.id.name),
            let help = forms.help(on: violation, text: text)
        {
            diagnostic.help = [help]
        }
        if case .wrongType(_, .string, let booleans) = violation.detail, !booleans.isEmpty,
            let text, let value = Self.booleansOfYAML1[text.lowercased()], booleans.contains(value)
        {
            diagnostic.help.append("In YAML 1.2, '\(text)' is a string; write \(value).")
        }
        return violation.adding(hintTo: diagnostic, in: root)
    }

    /// The words that YAML 1.1 reads as booleans, besides `true` and `false`.
    private static let booleansOfYAML1 = [
        "yes": true, "y": true, "on": true, "no": false, "n": false, "off": false,
    ]
}

/// The keys that each level of a manifest allows, for messages about where a misplaced key belongs.
struct ManifestLevels: Sendable {
    /// The mappings of the manifest that have their own keys beside settings: the name of the definition in the schema,
    /// and that in messages.
    private static let levels: [(definition: String, words: String)] = [
        ("defaults", "'defaults'"), ("service", "a service"), ("endpoint", "an endpoint"),
        ("inPlace", "'request'"), ("graph", "a graph"), ("step", "a step"),
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
        let locations = Self.levels.filter { has(name, $0.definition) }.map(\.words)
        guard let last = locations.last else { return nil }
        let others = locations.dropLast().joined(separator: ", ")
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
