import WaybillDiagnostics
import WaybillExpressions
package import WaybillManifest

/// Which settings of a request are not sent to an origin other than that of its service.
///
/// These are the content and credentials of the service, and the credentials of the defaults. If an expression determines
/// the origin, so that a response can choose it, only the content and credentials that the step or its endpoint sets
/// itself are sent to another origin.
package struct OriginLimits: Sendable {
    // The spans of the settings that the step and its endpoint do not set themselves; empty if the manifest names the
    // origin.
    private var shared: Set<SourceSpan> = []
    /// Whether the URL is computed from results of other requests. If there is no origin to compare with, this is another one.
    package private(set) var isChosenByResponse = false

    init(of site: RequestSite, _ settings: Settings) {
        guard let template = site.computedOrigin else { return }
        isChosenByResponse = template.references.contains {
            $0.root == .steps || $0.root == .session || $0.root == .state
        }
        let own = site.definition.settings.entries + (site.step?.step.settings.entries ?? [])
        shared = Set(settings.entries.map(\.span)).subtracting(own.map(\.span))
    }

    /// Whether a setting is sent only to the origin of the service.
    package func apply(to setting: Setting<any SettingDefinition>) -> Bool {
        if setting.isForServiceOrigin { return true }
        return switch setting.value.originPolicy {
        case .any: false
        case .content, .credential: shared.contains(setting.span)
        }
    }
}

extension RequestSite {
    /// The template that determines the origin of the request, if an expression in it does.
    fileprivate var computedOrigin: Template? {
        let start: ScalarTemplate? =
            switch definition.address {
            case .url(let url), .computed(let url): url.value
            case .path: nearest(BaseURLSetting.key, { $0.baseURL })?.value
            }
        guard let template = start?.template?.template, !template.isConstant else { return nil }
        guard case .literal(let text)? = template.parts.first, let scheme = text.firstRange(of: "://") else {
            return template
        }
        return text[scheme.upperBound...].contains { "/?#".contains($0) } ? nil : template
    }
}
