import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
package import WaybillPlan
import WaybillTransport

/// Which level of the manifest each setting and value of an endpoint comes from.
package struct EndpointExplanation: Sendable {
    /// How a setting is used.
    enum Effect {
        /// It applies.
        case used
        /// It removes a name with `null`.
        case removal
        /// A nearer level replaces it.
        case replaced(by: Setting<any SettingDefinition>)
        /// A nearer level removes the name with `null`.
        case unset(by: Setting<any SettingDefinition>)
        /// A nearer level declines the key with `inherit`.
        case declined(by: Setting<String>)
        /// The request is `standalone`: the level does not apply.
        case standalone
        /// The request goes to an origin other than the service's.
        case otherOrigin
        /// The request may go to an origin other than the service's. This is known only after its URL was evaluated.
        case ownOriginOnly
    }

    /// A setting with its effect.
    struct Explained {
        var setting: Setting<any SettingDefinition>
        var effect: Effect
    }

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
        return cascade.passedOver.map { Explained(setting: $0, effect: .standalone) }
            + cascade.settings.map { traced in
                let setting = traced.setting
                let effect: Effect =
                    switch traced.effect {
                    case .used where setting.value.isUnset: .removal
                    case .used where setting.isForServiceOrigin && origin != true:
                        origin == nil ? .ownOriginOnly : .otherOrigin
                    case .used: .used
                    case .replaced(let setting): .replaced(by: setting)
                    case .unset(let setting): .unset(by: setting)
                    case .declined(let name): .declined(by: name)
                    }
                return Explained(setting: setting, effect: effect)
            }
    }

    /// Whether the request goes to the origin of its service; `nil` if that is not known before evaluation.
    private var isOnServiceOrigin: Bool? {
        let request = cascade.request
        let home: Setting<ScalarTemplate>
        switch request.serviceOrigin {
        case .any: return true
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
