import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// A call gives every input that its endpoint needs, none that it does not have, and no constant that cannot fit.
struct CallInputs: ManifestRule {
    func check(_ manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        manifest.forEachStep { _, _, step in
            guard case .call(let name, let arguments, _) = step.action,
                let endpoint = manifest.endpoints[name.value]
            else { return }
            let inputs = endpoint.value.inputs
            for argument in arguments {
                guard let input = inputs[argument.name.value] else {
                    let help = inputs.isEmpty ? ["Endpoint '\(name.value)' takes no inputs."] : []
                    diagnostics.append(.unknown("input", argument.name, among: inputs.keys, help: help))
                    continue
                }
                guard let constant = argument.value.constant else { continue }
                for violation in input.value.schema.validate(constant).prefix(1) {
                    diagnostics.append(
                        Diagnostic(
                            "invalid-input",
                            "the value of input '\(argument.name.value)' \(violation.message)",
                            at: argument.value.span,
                            secondary: [.init(input.value.span, "declared here")]
                        )
                    )
                }
            }
            let missing = inputs.values.filter { input in
                !arguments.contains { $0.name.value == input.name.value }
                    && input.value.defaultValue == nil && manifest.inputs[input.name.value] == nil
            }
            if !missing.isEmpty {
                let names = missing.map { "'\($0.name.value)'" }.joined(separator: ", ")
                diagnostics.append(
                    Diagnostic(
                        "missing-input",
                        "the call of '\(name.value)' lacks \(missing.count == 1 ? "input" : "the inputs") \(names)",
                        at: name.span,
                        secondary: missing.map { .init($0.name.span, "declared here") },
                        help: ["Give it under 'with'."]
                    )
                )
            }
        }
        return diagnostics
    }
}
