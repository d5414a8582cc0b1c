import WaybillDiagnostics
import WaybillManifest

/// A request has one body: `params` that belong into the body do not meet an explicit one that is not a form.
struct BodyConflicts: ManifestRule {
    func check(_ manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        manifest.forEachRequest { site in
            let merged = Cascade.merge(site.layers(in: manifest).settings)
            let method = site.definition.method
            let isInQuery = ["GET", "HEAD", "DELETE"].contains(method?.value ?? "GET")
            guard let body = merged.body else { return }
            if ["GET", "HEAD"].contains(method?.value ?? "GET") {
                diagnostics.append(
                    Diagnostic(
                        "body-without-meaning",
                        "a body has no meaning with \(method?.value ?? "GET") (RFC 9110, section 9.3)",
                        severity: .warning,
                        at: body.span
                    )
                )
            }
            if case .form = body.value { return }
            let sent = merged.params.filter { $0.value.value != nil }
            guard !isInQuery, let parameter = sent.first else { return }
            diagnostics.append(
                Diagnostic(
                    "params-and-body",
                    "'params' would be the body, and there is an explicit one",
                    at: parameter.name.span,
                    secondary: [.init(body.span, "the explicit body")],
                    help: ["Use 'query' for parameters that belong to the address."]
                )
            )
        }
        return diagnostics
    }
}
