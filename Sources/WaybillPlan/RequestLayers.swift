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
    /// Whether no setting of defaults or service applies.
    var standsAlone: Bool

    init(of definition: RequestDefinition, settings: [Settings], in manifest: Manifest) {
        standsAlone =
            settings.last { $0.standalone != nil }?.standalone?.value ?? definition.settings.standalone?.value ?? false
        if let named = definition.service {
            name = named.value
            self.settings = manifest.services[named.value]?.value.settings
        } else if manifest.services.count == 1, let only = manifest.services.values.first {
            name = only.name.value
            self.settings = only.value.settings
        } else if case .path = definition.address {
            let hasBase = manifest.defaults.has(.baseURL) || definition.settings.has(.baseURL)
            isAmbiguous = manifest.services.count > 1 && !hasBase && !settings.contains { $0.has(.baseURL) }
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
