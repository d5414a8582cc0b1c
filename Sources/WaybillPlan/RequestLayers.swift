import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// The service of a request: the one that it names, or the only one there is.
struct RequestService {
    /// Its name; `nil` where the request belongs to none.
    var name: String?
    /// Its settings.
    var settings: Settings?
    /// Whether the request must have a service and it cannot be told which.
    var isAmbiguous = false

    init(of definition: RequestDefinition, settings: [Settings], in manifest: Manifest) {
        if let named = definition.service {
            name = named.value
            self.settings = manifest.services[named.value]?.value.settings
        } else if manifest.services.count == 1, let only = manifest.services.values.first {
            name = only.name.value
            self.settings = only.value.settings
        } else if case .path = definition.address {
            let levels = [manifest.defaults, definition.settings] + settings
            isAmbiguous = manifest.services.count > 1 && !levels.contains { $0.baseURL != nil }
        }
    }
}

/// The levels of the cascade for one request, the farthest first.
struct RequestLayers {
    /// The settings of each level.
    let settings: [Settings]

    init(_ definition: RequestDefinition, service: RequestService, steps: [Settings], in manifest: Manifest) {
        let standalone = ([definition.settings] + steps).last { $0.standalone != nil }?.standalone?.value ?? false
        let far = standalone ? [] : [manifest.defaults] + [service.settings].compactMap { $0 }
        settings = far + [definition.settings] + steps
    }
}
