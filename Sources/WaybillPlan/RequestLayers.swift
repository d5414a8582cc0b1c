import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// The service of a request: the one that it names, or the only one there is.
struct RequestService: Sendable {
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

    init(of definition: RequestDefinition, settings: [Settings], in manifest: Manifest) {
        let mayStandAlone =
            definition.settings.unknown.contains(.standalone) || settings.contains { $0.unknown.contains(.standalone) }
        standsAlone =
            mayStandAlone
            || settings.last { $0.standalone != nil }?.standalone?.value
                ?? definition.settings.standalone?.value ?? false
        isUnknown = mayStandAlone || definition.unknown.contains(.service)
        if let named = definition.service {
            name = named.value
            self.settings = manifest.services[named.value]?.value.settings
            isUnknown = isUnknown || self.settings == nil || manifest.unknown.isDefined(named.value, in: .services)
        } else if isUnknown || manifest.unknown.mayDefineSomething(in: .services) {
            isUnknown = true
        } else if manifest.services.count == 1, let only = manifest.services.values.first {
            name = only.name.value
            self.settings = only.value.settings
        } else if case .path = definition.address, manifest.services.count > 1 {
            isAmbiguous =
                !definition.unknown.contains(.address)
                && !([manifest.defaults, definition.settings] + settings).contains { $0.mayHave(.baseURL) }
        }
    }
}

/// The levels of the cascade for one request, the farthest first.
struct RequestLayers {
    /// The settings of each level.
    let settings: [Settings]

    init(_ definition: RequestDefinition, service: RequestService, steps: [Settings], in manifest: Manifest) {
        let far = service.standsAlone ? [] : [manifest.defaults] + [service.settings].compactMap { $0 }
        settings = far + [definition.settings] + steps
    }
}
