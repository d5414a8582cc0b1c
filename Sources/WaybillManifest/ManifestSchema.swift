import WaybillData
import WaybillDiagnostics

/// The published schema of manifests, compiled, and the words for what it finds.
struct ManifestSchema: Sendable {
    private let schema: JSONSchema

    /// Compiles the schema that is embedded in the program.
    init() throws {
        schema = try JSONSchema(compiling: try JSONParser().parse(EmbeddedSchema.manifest))
    }

    /// What is wrong with the shape of a manifest.
    func check(_ node: YAMLNode) -> [Diagnostic] {
        schema.validate(node.json).map { diagnostic(for: $0, in: node) }
    }

    private func diagnostic(for violation: SchemaViolation, in root: YAMLNode) -> Diagnostic {
        let location = violation.instanceLocation.tokens.map(\.text)
        let value = root.span(at: location) ?? root.span
        let key = root.keySpan(at: location) ?? value
        let name = violation.instanceLocation.tokens.last.flatMap { $0.isName ? "'\($0.text)'" : nil }
        if let custom = violation.annotation?["x-waybill-error"] {
            let id = custom["id"]?.string ?? "invalid-value"
            let message = custom["message"]?.string ?? violation.message
            // A key that is not supported is wrong itself; of any other the value is.
            let concernsKey = id == "not-supported"
            return Diagnostic(
                DiagnosticID(stringLiteral: id),
                concernsKey ? "\(name ?? "this"): \(message)" : message,
                at: concernsKey ? key : value,
                help: custom["help"]?.string.map { [$0] } ?? []
            )
        }
        let predicate = "\(name ?? (location.isEmpty ? "the manifest" : "the value")) \(violation.message)"
        switch violation.detail {
        case .unknownName(let unknown, let known):
            let nearest = NearestName.of(unknown, among: known)
            let list = known.sorted().joined(separator: ", ")
            return Diagnostic(
                "unknown-key",
                "'\(unknown)' is not a key that may stand here",
                at: key,
                label: nearest.map { "did you mean '\($0)'?" } ?? "",
                help: nearest == nil && !known.isEmpty && known.count <= 20 ? ["The keys are \(list)."] : []
            )
        case .missingName:
            return Diagnostic("missing-key", predicate, at: location.isEmpty ? value : key)
        case .conflictingNames(let names):
            let keys = names.compactMap { root.keySpan(at: location + [$0]) }
            return Diagnostic(
                "conflicting-keys",
                predicate,
                at: keys.last ?? key,
                secondary: keys.dropLast().map { .init($0, "and this one") }
            )
        case .wrongType:
            return Diagnostic("wrong-type", predicate, at: value)
        case .notAllowedValue, .notAllowed, .wrongFormat, .other:
            return Diagnostic("invalid-value", predicate, at: violation.concernsName ? key : value)
        }
    }
}

extension JSONPointer.Token {
    fileprivate var isName: Bool {
        if case .name = self { true } else { false }
    }
}
