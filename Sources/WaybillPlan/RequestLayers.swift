import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// What of a manifest is far from all of its requests: the defaults and the services. A class, since the manifest as a whole
/// takes long to copy.
final class FarLevels: Sendable {
    /// The settings of every request.
    let defaults: Settings
    /// The services.
    let services: Definitions<Service>
    /// What is not known of the manifest.
    let unknown: UnknownContent
    /// The defaults and the settings of each service merged, by its name.
    private let merged: [String: Settings]

    init(_ manifest: Manifest) {
        let defaults = manifest.defaults
        self.defaults = defaults
        services = manifest.services
        unknown = manifest.unknown
        merged = Dictionary(
            uniqueKeysWithValues: manifest.services.map { name, service in
                (name, Cascade.merge([defaults, service.value.settings]))
            }
        )
    }

    /// The levels of a request merged.
    func merge(_ levels: [Settings], service: RequestService) -> Settings {
        // Levels of a request that stands alone do not begin with those of its service.
        guard let name = service.name, !service.standsAlone, var merged = merged[name] else {
            return Cascade.merge(levels)
        }
        for level in levels.dropFirst(2) where !level.isEmpty { merged.apply(level) }
        return merged
    }
}

/// The service of a request: the one that it names, or the only one there is.
struct RequestService: Sendable {
    /// Where it is named: at the call, or else at the endpoint or request.
    var named: Spanned<String>?
    /// Where a call names it, instead of the service of its endpoint.
    var namedByCall: Spanned<String>?
    /// Its name; `nil` where the request belongs to none.
    var name: String?
    /// Its settings.
    var settings: Settings?
    /// Whether the request must have a service and it cannot be told which.
    var isAmbiguous = false
    /// Whether no setting of defaults or service applies, as far as is known.
    var standsAlone: Bool
    /// Whether it is not known which service it is, or whether its settings apply.
    var isUnknown: Bool

    /// - Parameter step: The step that sends the request: a call may name another service than its endpoint.
    init(of definition: RequestDefinition, from step: Step? = nil, settings: [Settings], in far: FarLevels) {
        let mayStandAlone =
            definition.settings.unknown.contains(.standalone) || settings.contains { $0.unknown.contains(.standalone) }
        standsAlone =
            mayStandAlone
            || settings.last { $0.standalone != nil }?.standalone?.value
                ?? definition.settings.standalone?.value ?? false
        namedByCall = step?.service
        named = namedByCall ?? definition.service
        isUnknown =
            mayStandAlone || step?.unknown.contains(.service) ?? false
            || step?.service == nil && definition.unknown.contains(.service)
        if let named {
            name = named.value
            self.settings = far.services[named.value]?.value.settings
            isUnknown = isUnknown || self.settings == nil || far.unknown.isDefined(named.value, in: .services)
        } else if isUnknown || far.unknown.mayDefineSomething(in: .services) {
            isUnknown = true
        } else if far.services.count == 1, let only = far.services.values.first {
            name = only.name.value
            self.settings = only.value.settings
        } else if case .path = definition.address, far.services.count > 1 {
            isAmbiguous =
                !definition.unknown.contains(.address)
                && !([far.defaults, definition.settings] + settings).contains { $0.mayHave(.baseURL) }
        }
    }
}

/// The levels of the cascade for one request, the farthest first.
struct RequestLayers {
    /// The settings of each level.
    let settings: [Settings]

    init(_ definition: RequestDefinition, service: RequestService, steps: [Settings], in far: FarLevels) {
        var settings: [Settings] = []
        settings.reserveCapacity(steps.count + 3)
        if !service.standsAlone {
            settings.append(far.defaults)
            if let ofService = service.settings { settings.append(ofService) }
        }
        settings.append(definition.settings)
        settings += steps
        self.settings = settings
    }
}
