import WaybillData
import WaybillDiagnostics

/// The published schema of manifests, compiled, and the words for what it finds.
struct ManifestSchema: Sendable {
    private let schema: JSONSchema
    private let levels: ManifestLevels

    /// After this many faults the rest of a manifest is not looked at.
    private static let limit = 1000

    /// Compiles the schema that is embedded in the program.
    init() throws {
        let document = try JSONParser().parse(EmbeddedSchema.manifest.text)
        schema = try JSONSchema(compiling: document)
        levels = ManifestLevels(schema: document)
    }

    /// What is wrong with the shape of a manifest.
    func check(_ node: YAMLNode) -> [Diagnostic] {
        if schema.isValid(node.index, in: node.tree.values) { return [] }
        return schema.violations(of: node.json, limit: Self.limit).map { diagnostic(for: $0, in: node) }
    }

    private func diagnostic(for violation: SchemaViolation, in root: YAMLNode) -> Diagnostic {
        let key = root.keySpan(at: violation.instanceLocation)
        if case .unknownName(let name, _) = violation.detail, let reason = levels.reason(against: name, by: violation) {
            return Diagnostic("misplaced-key", "'\(name)' has no meaning here: \(reason)", at: key ?? root.span)
        }
        var diagnostic = violation.diagnostic(in: root, of: "the manifest")
        if let custom = violation.annotation?["x-waybill-error"] {
            diagnostic.id = custom["id"]?.string.map { DiagnosticID(stringLiteral: $0) } ?? diagnostic.id
            diagnostic.headline = custom["message"]?.string ?? diagnostic.headline
            diagnostic.help = custom["help"]?.string.map { [$0] } ?? []
        }
        if case .wrongType(let expected, .string) = violation.detail, expected.contains(.boolean),
            let text = root.node(at: violation.instanceLocation)?.scalar?.text,
            let value = Self.booleansOfYAML1[text.lowercased()]
        {
            diagnostic.help.append("In YAML 1.2 '\(text)' is a text; write \(value).")
        }
        return diagnostic
    }

    /// What YAML 1.1 took for booleans beside `true` and `false`.
    private static let booleansOfYAML1 = [
        "yes": true, "y": true, "on": true, "no": false, "n": false, "off": false,
    ]
}
