import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// The outermost levels, which all requests of a manifest share: the defaults and the services. It is a class because a
/// manifest is slow to copy.
final class SharedLevels: Sendable {
    /// The settings of every request.
    let defaults: Settings
    /// The services.
    let services: Definitions<Service>
    /// The parts of the manifest that errors in its text leave unknown.
    let unknown: UnknownContent
    /// The settings of each service merged with the defaults, by the name of the service.
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

    /// Returns the merged levels of a request.
    func merge(_ levels: [Settings], service: RequestService) -> Settings {
        // The levels of a standalone request do not start with those of its service.
        guard let name = service.name, !service.standsAlone, var merged = merged[name] else {
            return Cascade.merge(levels)
        }
        for level in levels.dropFirst(2) where !level.isEmpty { merged.apply(level) }
        return merged
    }
}

/// The service of a request: the one that it names, or the only one in the manifest.
struct RequestService: Sendable {
    /// The name and its span: at the call, or else at the endpoint or request.
    var named: Spanned<String>?
    /// The name at a call, which overrides the service of its endpoint.
    var namedByCall: Spanned<String>?
    /// Its name; `nil` if the request belongs to no service.
    var name: String?
    /// Its settings.
    var settings: Settings?
    /// Whether the request needs a service but could belong to several.
    var isAmbiguous = false
    /// Whether the request is standalone, or may be: no setting of the defaults or the service is known to apply.
    var standsAlone: Bool
    /// Whether errors in the manifest leave open which service it is, or whether its settings apply.
    var isUnknown: Bool

    /// - Parameter step: The step that sends the request: a call may name another service than its endpoint.
    init(of definition: RequestDefinition, from step: Step? = nil, settings: [Settings], in far: SharedLevels) {
        let mayStandAlone =
            definition.settings.unknown.contains(StandaloneSetting.key)
            || settings.contains { $0.unknown.contains(StandaloneSetting.key) }
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
                && !([far.defaults, definition.settings] + settings).contains { $0.mayHave(BaseURLSetting.key) }
        }
    }
}

extension RequestService {
    /// Returns the levels of the cascade for one request of the service, the outermost first.
    ///
    /// - Parameter steps: The settings of the graphs and of the enclosing steps, from the outermost in.
    func levels(of definition: RequestDefinition, steps: [Settings], in far: SharedLevels) -> [Settings] {
        guard standsAlone else {
            return [far.defaults] + [settings].compactMap { $0 } + [definition.settings] + steps
        }
        // Of the graph and the steps, the settings from the level that says 'standalone' inwards remain: of an endpoint
        // that says it, those of the step that calls it.
        let first = steps.lastIndex { $0.standalone != nil } ?? max(0, steps.count - 1)
        return [definition.settings] + steps[first...]
    }
}
