package import WaybillDiagnostics
import WaybillExpressions
package import WaybillManifest

/// Which settings of a request are not sent to an origin other than that of its service.
///
/// These are the content and credentials of the service, and the credentials of the defaults. If an expression determines
/// the origin, only the content and credentials that the step or its endpoint sets itself are sent to another origin; and
/// if its value may come from a response, of these only the credentials that are written beside it. A proxy can read
/// requests, so one that a response may choose is treated like an origin.
package struct OriginLimits: Sendable {
    /// The spans of the settings that the step and its endpoint set themselves.
    private var own: Set<SourceSpan> = []
    /// The spans of the credentials among them that are written elsewhere than the origin or proxy that a response may
    /// choose.
    private var apart: Set<SourceSpan> = []
    /// Whether an expression determines the origin or the proxy.
    package private(set) var isComputed = false
    /// Whether the URL may come from a response. Without an origin to compare with, it is treated as another origin.
    package private(set) var isChosenByResponse = false
    /// Whether the proxy may come from a response. Every request through it is treated as one to another origin.
    package private(set) var isProxyChosenByResponse = false

    /// Whether the path is written elsewhere than the origin or proxy that a response may choose.
    private var isPathApart = false

    init(of site: RequestSite) {
        own = Set((site.definition.settings.entries + site.stepEntries).map(\.span))
        if let origin = site.computedOrigin {
            isComputed = true
            isChosenByResponse = site.mayTakeFromResponse(origin)
            if isChosenByResponse { keepContent(apartFrom: origin, site) }
        }
        if let proxy = site.computedProxy, site.mayTakeFromResponse(proxy, exceptElements: true) {
            isComputed = true
            isProxyChosenByResponse = true
            keepContent(apartFrom: proxy, site)
        }
        let credentials = site.merged.withoutRemovals.entries.filter {
            $0.value.isCredential(with: site.definition.vars)
        }
        (hasCredentials, keepsCredentials) = (!credentials.isEmpty, credentials.contains(where: apply))
    }

    private mutating func keepContent(apartFrom address: ComputedAddress, _ site: RequestSite) {
        keepCredentials(of: address.apart, site)
        isPathApart = isPathApart || address.isPathApart
    }

    /// Whether secrets in the path are not for the origin or the proxy, because a response may choose that.
    package var keepsSecretsOfPath: Bool { isPathApart }

    /// Whether a secret in a setting that is part of the path is not for the origin or the proxy either.
    package func keepsSecrets(of setting: SourceSpan) -> Bool {
        (isChosenByResponse || isProxyChosenByResponse) && (apart.contains(setting) || !own.contains(setting))
    }

    private mutating func keepCredentials(of entries: [Setting<any SettingDefinition>], _ site: RequestSite) {
        apart.formUnion(entries.filter { $0.value.isCredential(with: site.definition.vars) }.map(\.span))
    }

    /// Whether the request has credentials, and whether any of them are sent only to the origin of the service.
    package private(set) var hasCredentials = false
    package private(set) var keepsCredentials = false

    /// Whether the step or its endpoint sets a setting itself, by its span, and not a level that other requests share.
    package func isOwn(_ setting: SourceSpan) -> Bool { own.contains(setting) }

    /// Whether a setting is sent only to the origin of the service.
    package func apply(to setting: Setting<any SettingDefinition>) -> Bool {
        if setting.isForServiceOrigin || apart.contains(setting.span) { return true }
        return switch setting.value.originPolicy {
        case .any: false
        case .content, .credential: isComputed && !own.contains(setting.span)
        }
    }
}

extension SettingDefinition {
    /// Whether the setting contains credentials: by its key, by its name, or because it uses a secret.
    ///
    /// - Parameter variables: The variables of the request, any of which may have a secret.
    fileprivate func isCredential(with variables: [VariableDefinition]) -> Bool {
        if originPolicy == .credential { return true }
        if let part, originPolicy == .content, CredentialNames.contains(part) { return true }
        let computed = variables.flatMap(\.value.templates).flatMap(\.references)
        var usesSecret = false
        let visitor = UseVisitor { use in
            for reference in use.text.references {
                let sources = reference.root == .vars ? computed : [reference]
                usesSecret = usesSecret || sources.contains { [.secrets, .session].contains($0.root) }
            }
        }
        visitUses(visitor)
        return usesSecret
    }
}

/// A template with an expression that determines the origin or the proxy of a request.
private struct ComputedAddress {
    let template: Template
    /// The level that it is written at.
    let level: Level
    /// The settings of the step and its endpoint that are not written beside it.
    let apart: [Setting<any SettingDefinition>]
    /// Whether the path of the request is not written beside it.
    let isPathApart: Bool
}

extension RequestSite {
    fileprivate var stepEntries: [Setting<any SettingDefinition>] { step?.step.settings.entries ?? [] }

    /// The address that determines the origin of the request, if an expression in it does.
    fileprivate var computedOrigin: ComputedAddress? {
        let start: ComputedAddress?
        switch definition.address {
        case .url(let url), .computed(let url):
            start = computed(url, apart: endpoint == nil ? [] : stepEntries, isPathApart: false)
        case .path:
            start = nearest(BaseURLSetting.key, { $0.baseURL })
                .flatMap { computed($0, apart: entries(apartFrom: $0.span), isPathApart: !isBesidePath($0.span)) }
        }
        guard let start else { return nil }
        guard case .literal(let text)? = start.template.parts.first, let scheme = text.firstRange(of: "://") else {
            return start
        }
        return text[scheme.upperBound...].contains { "/?#".contains($0) } ? nil : start
    }

    /// The address of the proxy, if an expression determines it.
    fileprivate var computedProxy: ComputedAddress? {
        guard let proxy = nearest(ProxySetting.key, { $0.proxy }), case .url(let url) = proxy.value,
            let address = computed(
                proxy.map { _ in url },
                apart: entries(apartFrom: proxy.span),
                isPathApart: !isBesidePath(proxy.span)
            )
        else { return nil }
        // Only the user name and the password are computed.
        if case .literal(let text)? = address.template.parts.last, text.contains("@") { return nil }
        return address
    }

    private func computed(
        _ setting: Setting<ScalarTemplate>,
        apart: [Setting<any SettingDefinition>],
        isPathApart: Bool
    ) -> ComputedAddress? {
        guard let template = setting.value.template?.template, !template.isConstant else { return nil }
        return ComputedAddress(template: template, level: setting.level, apart: apart, isPathApart: isPathApart)
    }

    /// Whether a setting is written beside the path of the request.
    private func isBesidePath(_ setting: SourceSpan) -> Bool {
        definition.settings.entries.contains { $0.span == setting }
            || endpoint == nil && stepEntries.contains { $0.span == setting }
    }

    /// Returns the settings of the step and its endpoint that are not written beside a setting. A step and the request
    /// in it are one place.
    private func entries(apartFrom setting: SourceSpan) -> [Setting<any SettingDefinition>] {
        let (inner, outer) = (definition.settings.entries, stepEntries)
        if inner.contains(where: { $0.span == setting }) { return [] }
        if outer.contains(where: { $0.span == setting }) { return endpoint == nil ? [] : inner }
        return inner + outer
    }

    /// Whether the value of an address may come from a response.
    ///
    /// - Parameter exceptElements: Whether the elements of a list that does not come from a response count as the
    ///   manifest's.
    fileprivate func mayTakeFromResponse(_ address: ComputedAddress, exceptElements: Bool = false) -> Bool {
        address.template.references.contains { reference in
            far.inputSources.mayComeFromResponse(reference, at: address.level)
                && !(exceptElements && isElementOfManifest(reference))
        }
    }

    private func isElementOfManifest(_ reference: Reference) -> Bool {
        guard reference.root == nil, let step else { return false }
        let forEach = (step.around + [step.step]).compactMap(\.flow?.forEach)
            .last { $0.variable.value == reference.name }
        let sources: [Reference]
        switch forEach?.elements {
        case .expression(let list): sources = list.references
        case .list(let elements): sources = elements.flatMap(\.templates).flatMap(\.references)
        case nil: return false
        }
        let level = Level.graph(step.graph.name.value)
        return !sources.contains { far.inputSources.mayComeFromResponse($0, at: level) }
    }
}
