import WaybillDiagnostics
import WaybillManifest

/// Each name in `params` may be given at one level only, because the parameters of outer levels are always sent.
struct ParameterClash: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.diagnosticsOfRequests(check)
    }

    private func check(_ site: RequestSite) -> [Diagnostic] {
        guard site.has(ParameterSetting.key), site.levels.count(where: { $0.has(ParameterSetting.key) }) > 1 else {
            return []
        }
        var diagnostics: [Diagnostic] = []
        var sent: [String: Setting<ParameterSetting>] = [:]
        for level in site.levels {
            let mayDecline = level.unknown.contains(SettingDefinitions.inherit)
            if mayDecline || level.declined.contains(where: { $0.value == ParameterSetting.key }) { sent = [:] }
            for parameter in level.params {
                let name = parameter.value.name.value
                if parameter.value.value != nil, let farther = sent[name], farther.value.value != nil {
                    diagnostics.report(
                        "parameter-clash",
                        "parameter '\(name)' is already sent by an outer level",
                        at: parameter.value.name.span,
                        secondary: [.init(farther.value.name.span, "first given here")],
                        help: ["Remove it there, or add 'inherit: {params: false}' here."]
                    )
                }
                sent[name] = parameter
            }
        }
        return diagnostics
    }
}
