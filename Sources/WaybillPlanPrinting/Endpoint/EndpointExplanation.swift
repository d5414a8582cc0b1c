import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
package import WaybillPlan
import WaybillTransport

/// Which level of the manifest each setting and value of an endpoint comes from.
package struct EndpointExplanation: Sendable {
    /// A setting with its effect.
    typealias Explained = (setting: Setting<any SettingDefinition>, effect: SettingEffect)

    let cascade: EndpointCascade
    let form: PlanValues
    let environment: EnvironmentLocations

    /// Explains an endpoint of a manifest.
    package init(_ cascade: EndpointCascade, of checked: ResolvedManifest, options: PlanOptions) {
        self.cascade = cascade
        form = PlanValues(checked.manifest.documents, redactor: .init(secretsOf: checked, options: options))
        environment = EnvironmentLocations(of: checked)
    }

    /// Every setting at any level.
    var settings: [Explained] {
        let origin = isOnServiceOrigin
        let traced = cascade.settings.map { traced -> Explained in
            guard case .used = traced.effect else { return (traced.setting, traced.effect) }
            if traced.setting.value.isUnset { return (traced.setting, .removal) }
            let isLimited = cascade.request.originLimits.apply(to: traced.setting)
            guard isLimited, origin != true else { return (traced.setting, .used) }
            return (traced.setting, origin == nil ? .ownOriginOnly : .otherOrigin)
        }
        return cascade.passedOver.map { ($0, .standalone) } + traced
    }

    /// Whether the request goes to the origin of its service; `nil` if that is not known before evaluation.
    private var isOnServiceOrigin: Bool? {
        let request = cascade.request
        if request.originLimits.isProxyChosenByResponse { return false }
        let home: Setting<ScalarTemplate>
        switch request.serviceOrigin {
        case .any: return !request.originLimits.isChosenByResponse
        case .none: return false
        case .of(let baseURL): home = baseURL
        }
        let start: Setting<ScalarTemplate>
        switch request.address {
        case .url(let url): start = url
        case .computed: return nil
        case .path:
            guard let baseURL = request.settings.baseURL else { return nil }
            if baseURL.span == home.span { return true }
            start = baseURL
        }
        guard let url = start.value.constantText, let base = home.value.constantText,
            let origin = try? Origin(ofURL: url), let service = try? Origin(ofURL: base)
        else { return nil }
        return origin == service
    }
}

/// A value of an endpoint that is not a setting: the key, the name below it if it has names, and the value.
struct EndpointPart {
    var key: String
    var name: String?
    var value: JSON
    var span: SourceSpan
}

extension EndpointExplanation {
    /// Keys whose values are definitions by name.
    private static let keysWithNames: Set<String> = ["inputs", "vars", "outputs"]
    /// Keys that do not affect requests, or that become part of the settings.
    private static let keysLeftOut: Set<String> = ["description", "mock", "inherit"]

    /// The values of the endpoint that are not settings, in the order of the text.
    var parts: [EndpointPart] {
        guard let mapping = form.mapping(ofKeyAt: cascade.endpoint.name.span) else { return [] }
        return mapping.entries.flatMap { key, value -> [EndpointPart] in
            let key = key.text ?? ""
            if SettingDefinitions.keys.contains(key) || Self.keysLeftOut.contains(key) { return [] }
            guard Self.keysWithNames.contains(key), let names = value.mapping else {
                return [EndpointPart(key: key, name: nil, value: form.shown(value, [key]), span: value.span)]
            }
            return names.entries.map { name, value in
                let name = name.text ?? ""
                return EndpointPart(key: key, name: name, value: form.shown(value, [key, name]), span: value.span)
            }
        }
    }
}
