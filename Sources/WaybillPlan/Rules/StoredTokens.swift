import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// Credentials whose tokens are stored must be known before a run: 'waybill login' uses them without one.
struct StoredTokens: ManifestRule {
    /// The names that do not depend on a run.
    private static let known: [Reference.Root?] = [.inputs, .manifest, .secrets, .data]

    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for settings in subject.settings {
            guard let auth = settings.auth, let oauth2 = auth.value.method as? OAuth2Authentication,
                let store = oauth2.store
            else { continue }
            switch auth.level {
            case .defaults, .service: break
            case .endpoint, .graph:
                diagnostics.report(
                    "misplaced-store",
                    "tokens can be stored only for a service or in the defaults",
                    at: store.path.span,
                    help: ["Move 'auth' to the service that the requests are sent to."]
                )
                continue
            }
            for field in oauth2.fields {
                guard let template = field.text.value.template,
                    let reference = template.references.first(where: { !Self.known.contains($0.root) })
                else { continue }
                diagnostics.report(
                    "misplaced-store",
                    "'\(reference.name)' is known only in a run, but 'waybill login' needs this value without one",
                    at: field.text.value.span,
                    help: ["Use a constant, an input, or a secret."]
                )
            }
        }
        return diagnostics
    }
}
