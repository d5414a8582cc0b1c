package import WaybillDiagnostics
import WaybillExpressions
package import WaybillManifest

/// Which settings of a request are not sent to an origin other than that of its service.
///
/// These are the content and credentials of the service, and the credentials of the defaults. If an expression determines
/// the origin, so that a response can choose it, only the content and credentials that the step or its endpoint sets
/// itself are sent to another origin.
package struct OriginLimits: Sendable {
    /// The spans of the settings that the step and its endpoint set themselves.
    private var own: Set<SourceSpan> = []
    // The spans of the settings that the step and its endpoint do not set themselves; empty if the manifest names the
    // origin.
    private var shared: Set<SourceSpan> = []
    /// Whether the URL may come from a response. Without an origin to compare with, it is treated as another origin.
    package private(set) var isChosenByResponse = false

    init(of site: RequestSite, _ settings: Settings) {
        own = Set((site.definition.settings.entries + (site.step?.step.settings.entries ?? [])).map(\.span))
        guard let template = site.computedOrigin else { return }
        let isArgumentChosen = site.step?.argumentReferences.contains(where: \.mayComeFromResponse) ?? false
        isChosenByResponse = template.references.contains {
            $0.mayComeFromResponse || $0.root == .inputs && isArgumentChosen
        }
        shared = Set(settings.entries.map(\.span)).subtracting(own)
    }

    /// Whether the step or its endpoint sets a setting itself, by its span, and not a level that other requests share.
    package func isOwn(_ setting: SourceSpan) -> Bool { own.contains(setting) }

    /// Whether a setting is sent only to the origin of the service.
    package func apply(to setting: Setting<any SettingDefinition>) -> Bool {
        if setting.isForServiceOrigin { return true }
        return switch setting.value.originPolicy {
        case .any: false
        case .content, .credential: shared.contains(setting.span)
        }
    }
}

extension Reference {
    /// Whether the value may come from a response, and not only from the author of the manifest or who runs it. The elements
    /// of a `forEach`, which have names of their own, often do.
    fileprivate var mayComeFromResponse: Bool {
        switch root {
        case .inputs, .manifest, .secrets, .data, .run: false
        default: true
        }
    }
}

extension StepSite {
    /// The references in the inputs of the call.
    fileprivate var argumentReferences: [Reference] {
        guard case .call(let call) = step.action else { return [] }
        return call.arguments.flatMap(\.value.templates).flatMap(\.references)
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
