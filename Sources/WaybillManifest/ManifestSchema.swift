import WaybillData
import WaybillDiagnostics

/// The published schema of manifests, compiled, and the words for what it finds.
struct ManifestSchema: Sendable {
    private let schema: JSONSchema

    /// Compiles the schema that is embedded in the program.
    init() throws {
        schema = try JSONSchema(compiling: try JSONParser().parse(EmbeddedSchema.manifest.text))
    }

    /// What is wrong with the shape of a manifest.
    func check(_ node: YAMLNode) -> [Diagnostic] {
        if schema.isValid(node.index, in: node.tree.values) { return [] }
        return schema.validate(node.json).map { diagnostic(for: $0, in: node) }
    }

    private func diagnostic(for violation: SchemaViolation, in root: YAMLNode) -> Diagnostic {
        guard let custom = violation.annotation?["x-waybill-error"] else {
            return violation.diagnostic(in: root, of: "the manifest")
        }
        let id = custom["id"]?.string ?? "invalid-value"
        let message = custom["message"]?.string ?? violation.message
        let value = root.span(at: violation.instanceLocation) ?? root.span
        // A key that is not supported is wrong itself; of any other the value is.
        let concernsKey = id == "not-supported"
        return Diagnostic(
            DiagnosticID(stringLiteral: id),
            concernsKey ? "\(violation.quotedName ?? "this"): \(message)" : message,
            at: concernsKey ? root.keySpan(at: violation.instanceLocation) ?? value : value,
            help: custom["help"]?.string.map { [$0] } ?? []
        )
    }
}
