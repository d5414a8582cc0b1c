import OrderedCollections
package import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

extension Manifest {
    /// Returns the manifest with an environment applied, and the errors in the environment.
    ///
    /// An environment works like a nearer level of the cascade, except that it cannot add definitions: it changes
    /// services, inputs, secrets and data that the manifest defines.
    package func applying(_ environment: Environment) -> (manifest: Manifest, diagnostics: [Diagnostic]) {
        var manifest = self
        var diagnostics: [Diagnostic] = []

        /// Whether the manifest defines a name; reports one that it does not define.
        func defines<Value>(_ kind: String, _ name: Spanned<String>, _ definitions: Definitions<Value>) -> Bool {
            if definitions[name.value] != nil { return true }
            guard let section = ManifestSection(rawValue: kind == "data" ? kind : kind + "s"),
                !unknown.mayDefine(name.value, in: section)
            else { return false }
            let nearest = NearestName.of(name.value, among: definitions.keys)
            diagnostics.report(
                DiagnosticID(stringLiteral: "unknown-\(kind)"),
                "no \(kind) is named '\(name.value)'",
                at: name.span,
                label: nearest.map { "did you mean '\($0)'?" } ?? "",
                help: ["An environment changes what the manifest defines; it does not define anything itself."]
            )
            diagnostics[diagnostics.count - 1].validNames = Array(definitions.keys)
            return false
        }

        manifest.defaults = Cascade.merge([defaults, environment.defaults])
        for (name, changes) in environment.services {
            guard defines("service", name, services), let service = services[name.value]?.value else { continue }
            manifest.services[name.value]?.value = Service(
                settings: Cascade.merge([service.settings, changes.settings]),
                contract: changes.contract ?? service.contract,
                security: service.security.filter { known in
                    !changes.security.contains { $0.scheme.value.hasSameCodePoints(as: known.scheme.value) }
                } + changes.security,
                session: changes.session ?? service.session,
                unknown: service.unknown.union(changes.unknown)
            )
        }
        for (name, value) in environment.inputs {
            guard defines("input", name, inputs), let input = inputs[name.value]?.value else { continue }
            if let violation = input.schema.validate(value.value).first {
                diagnostics.report(
                    "invalid-input",
                    "the value of input '\(name.value)' \(violation.message)",
                    at: value.span,
                    secondary: [.init(input.span, "declared here")]
                )
            }
            manifest.inputs[name.value]?.value.defaultValue = value.value
            // An environment takes precedence over a variable.
            manifest.inputs[name.value]?.value.environmentVariable = nil
        }
        for (name, secret) in environment.secrets where defines("secret", name, secrets) {
            manifest.secrets[name.value]?.value = secret
        }
        for (name, declaration) in environment.data where defines("data", name, data) {
            manifest.data[name.value]?.value = declaration
        }
        return (manifest, diagnostics)
    }
}
