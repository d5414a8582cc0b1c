import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillSchema
import WaybillTransport

/// Where everything that an endpoint sends and does comes from.
package struct EndpointExplanation: Sendable {
    /// What became of a setting.
    enum Fate {
        /// It holds.
        case used
        /// It takes a name away.
        case removal
        /// A nearer level says something else.
        case replaced(by: Setting<SettingValue>)
        /// A nearer level takes the name away with `null`.
        case takenAway(by: Setting<SettingValue>)
        /// A nearer level declines the key with `inherit`.
        case declined(by: Setting<SettingName>)
        /// The request stands alone.
        case standalone
        /// The request goes to another origin than the service's.
        case otherOrigin
        /// The request may go to another origin than the service's: that is known only when its URL has been evaluated.
        case ownOriginOnly
    }

    /// A setting and what became of it.
    struct Explained {
        var setting: Setting<SettingValue>
        var fate: Fate
    }

    let cascade: EndpointCascade
    let form: WrittenForm
    let environment: EnvironmentPlaces

    init(_ cascade: EndpointCascade, of checked: ResolvedManifest, options: PlanOptions) {
        self.cascade = cascade
        form = WrittenForm(redactor: .init(secretsOf: checked, options: options))
        environment = EnvironmentPlaces(of: checked)
    }

    /// Every setting at any level.
    var settings: [Explained] {
        let origin = isOnServiceOrigin
        return cascade.passedOver.map { Explained(setting: $0, fate: .standalone) }
            + cascade.settings.map { traced in
                let setting = traced.setting
                let fate: Fate =
                    switch traced.fate {
                    case .used where setting.value.isUnset: .removal
                    case .used where setting.isForServiceOrigin && origin != true:
                        origin == nil ? .ownOriginOnly : .otherOrigin
                    case .used: .used
                    case .replaced(let setting): .replaced(by: setting)
                    case .takenAway(let setting): .takenAway(by: setting)
                    case .declined(let name): .declined(by: name)
                    }
                return Explained(setting: setting, fate: fate)
            }
    }

    /// Whether the request goes to the origin of its service; `nil` where that is not known before it is evaluated.
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

/// What is said at the endpoint itself beside settings: a key, a name under it where it has names, and the value.
struct EndpointPart {
    var key: String
    var name: String?
    var value: JSON
    var span: SourceSpan
}

extension EndpointExplanation {
    /// What is said at the endpoint itself beside settings.
    var parts: [EndpointPart] {
        let definition = cascade.endpoint.value.request
        var parts: [EndpointPart] = []
        func add(_ key: String, named name: String? = nil, _ value: JSON, _ span: SourceSpan) {
            parts.append(EndpointPart(key: key, name: name, value: value, span: span))
        }
        if let service = definition.service { add("service", .string(service.value), service.span) }
        if let method = definition.method { add("method", .string(form.text(method.value)), method.span) }
        let isURL = if case .url = definition.address { true } else { false }
        let address = definition.address.text
        add(isURL ? "url" : "path", .string(form.text(address.value)), address.span)
        for (name, input) in cascade.endpoint.value.inputs {
            add("inputs", named: name, form.value(input.value.schema.document), input.value.span)
        }
        for variable in definition.vars {
            add("vars", named: variable.name.value, form.value(variable.value), variable.value.span)
        }
        for output in definition.outputs {
            add("outputs", named: output.name.value, .string(form.text(output.value)), output.value.span)
        }
        if let returns = definition.returns {
            let schema = form.value(returns.schema.document)
            add("returns", returns.isCollection ? ["collection": schema] : ["object": schema], returns.span)
        }
        if let download = definition.download { add("download", form.value(download), download.span) }
        return parts
    }
}
