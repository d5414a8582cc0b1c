import OrderedCollections
package import WaybillDiagnostics
import WaybillSchema

extension Manifest {
    /// Returns the manifest with an environment applied, and the errors in the environment.
    ///
    /// An environment works like a nearer level of the cascade, except that it cannot add definitions: it changes
    /// services, inputs, secrets and data that the manifest defines.
    package func applying(_ environment: Environment) -> (manifest: Manifest, diagnostics: [Diagnostic]) {
        var manifest = self
        var diagnostics: [Diagnostic] = []

        func unknown(
            _ sort: String,
            _ name: Spanned<String>,
            among names: some Sequence<String>,
            _ section: ManifestSection
        ) {
            guard !self.unknown.mayDefine(name.value, in: section) else { return }
            let nearest = NearestName.of(name.value, among: names)
            diagnostics.report(
                DiagnosticID(stringLiteral: "unknown-\(sort)"),
                "no \(sort) is named '\(name.value)'",
                at: name.span,
                label: nearest.map { "did you mean '\($0)'?" } ?? "",
                help: ["An environment changes what the manifest defines; it does not define anything itself."]
            )
        }

        manifest.defaults = Cascade.merge([defaults, environment.defaults])
        for (name, changes) in environment.services {
            guard let service = services[name.value]?.value else {
                unknown("service", name, among: services.keys, .services)
                continue
            }
            manifest.services[name.value]?.value = Service(
                settings: Cascade.merge([service.settings, changes.settings]),
                session: changes.session ?? service.session,
                unknown: service.unknown.union(changes.unknown)
            )
        }
        for (name, value) in environment.inputs {
            guard let input = inputs[name.value]?.value else {
                unknown("input", name, among: inputs.keys, .inputs)
                continue
            }
            if let violation = input.schema.validate(value.value).first {
                diagnostics.report(
                    "invalid-input",
                    "the value of input '\(name.value)' \(violation.message)",
                    at: value.span,
                    secondary: [.init(input.span, "declared here")]
                )
            }
            manifest.inputs[name.value]?.value.defaultValue = value.value
        }
        for (name, secret) in environment.secrets {
            guard secrets[name.value] != nil else {
                unknown("secret", name, among: secrets.keys, .secrets)
                continue
            }
            manifest.secrets[name.value]?.value = secret
        }
        for (name, declaration) in environment.data {
            guard data[name.value] != nil else {
                unknown("data", name, among: data.keys, .data)
                continue
            }
            manifest.data[name.value]?.value = declaration
        }
        return (manifest, diagnostics)
    }
}
