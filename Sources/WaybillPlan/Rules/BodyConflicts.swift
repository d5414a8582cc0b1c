import WaybillDiagnostics
import WaybillManifest

/// A request can have only one body: `params` that are sent in the body conflict with an explicit body that is not a
/// form.
struct BodyConflicts: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for site in subject.requests.all {
            guard let body = site.body, let method = site.method else { continue }
            let isInQuery = ["GET", "HEAD", "DELETE"].contains(method)
            if ["GET", "HEAD"].contains(method) {
                diagnostics.report(
                    "body-without-meaning",
                    "a body has no meaning with \(method) (RFC 9110, section 9.3)",
                    severity: .warning,
                    at: body.span
                )
            }
            guard !isInQuery, !body.value.takesFields, site.has(ParameterSetting.key),
                !site.unknown.contains(SettingDefinitions.inherit),
                let parameter = site.merged.params.first(where: { $0.value.value != nil })
            else {
                continue
            }
            diagnostics.report(
                "params-and-body",
                "'params' are sent as the body, but the request also has an explicit body",
                at: parameter.value.name.span,
                secondary: [.init(body.span, "the explicit body")],
                help: ["Use 'query' for parameters of the URL."]
                    + (site.inherits(parameter)
                        ? ["To send the body without the parameters of outer levels, add inherit: {params: false}."]
                        : [])
            )
        }
        return diagnostics
    }
}

extension RequestSite {
    /// Whether the parameter comes from an outer level than the nearest one with settings.
    fileprivate func inherits(_ parameter: Setting<ParameterSetting>) -> Bool {
        guard let nearest = levels.last(where: { !$0.isEmpty }) else { return true }
        return !nearest.params.contains { $0.value.name.span == parameter.value.name.span }
    }
}
