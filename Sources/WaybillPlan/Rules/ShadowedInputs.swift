import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// An input of an endpoint or graph must accept the values of the manifest's input of the same name, which is its
/// fallback.
struct ShadowedInputs: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        guard !manifest.inputs.isEmpty else { return [] }
        let declared =
            manifest.endpoints.values.map(\.value.inputs) + manifest.graphs.values.map(\.value.inputs)
        return declared.flatMap { inputs in
            inputs.values.compactMap { input -> Diagnostic? in
                guard let other = manifest.inputs[input.name.value], !input.value.takes(other.value) else { return nil }
                return Diagnostic(
                    "shadowed-input",
                    "the manifest's input '\(input.name.value)' has another type, but is used if no value is given",
                    severity: .warning,
                    at: input.name.span,
                    secondary: [.init(other.name.span, "the manifest's input")],
                    help: ["Give this input another name, or give both the same type if they mean the same."]
                )
            }
        }
    }
}

extension InputDeclaration {
    /// Whether each type that another input may have is one of this input's, as far as types are specified.
    fileprivate func takes(_ other: InputDeclaration) -> Bool {
        guard !types.isEmpty, !other.types.isEmpty else { return true }
        return other.types.allSatisfy { types.contains($0) || $0 == "integer" && types.contains("number") }
    }
}
