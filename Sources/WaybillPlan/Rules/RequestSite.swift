import OrderedCollections
import Synchronization
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// A request with its service and the levels of its cascade, resolved once for the rules and for plans.
final class RequestSite: Sendable {
    /// The request as written.
    let definition: RequestDefinition
    /// The step that sends it; `nil` for an endpoint by itself.
    let step: StepSite?
    /// The steps that run its graph, from the outermost in, if they or what encloses them have settings; empty for a
    /// request of a graph by itself.
    let callers: [StepSite]
    /// The settings of the graphs and of the enclosing steps, from the outermost in; empty for an endpoint by itself.
    let steps: [Settings]
    /// The endpoint; `nil` for a request in a step.
    let endpoint: String?
    /// The span to report diagnostics at.
    let span: SourceSpan
    /// The service that it belongs to.
    let service: RequestService
    /// The levels of its cascade, the outermost first.
    let levels: [Settings]
    /// The keys whose values are not fully known at some level.
    let unknown: Set<String>
    /// The expected statuses, if they are known.
    let expectedStatus: Setting<[StatusTemplate]>?
    /// What its responses are decoded to, if that has no fields and no filter changes it: bytes or a string.
    let dataWithoutFields: (words: String, span: SourceSpan)?
    /// The levels that other requests share.
    let far: SharedLevels

    init(
        _ definition: RequestDefinition,
        step: StepSite?,
        callers: [StepSite] = [],
        endpoint: String?,
        span: SourceSpan,
        in far: SharedLevels
    ) {
        self.definition = definition
        self.step = step
        self.callers = callers
        let steps = callers.flatMap(\.settings) + (step?.settings ?? [])
        self.steps = steps
        self.endpoint = endpoint
        self.span = span
        self.far = far
        service = RequestService(of: definition, from: step?.step, settings: steps, in: far)
        levels = service.levels(of: definition, steps: steps, in: far)
        unknown = levels.reduce(into: Set()) { $0.formUnion($1.unknown) }
        expectedStatus = levels.nearest(ExpectationSetting.key, \.expectedStatus)
        let decoding = levels.nearest(Decoding.key, \.decoding)
        let isFiltered = unknown.contains(FilterEntry.key) || levels.contains { $0.has(FilterEntry.key) }
        switch isFiltered ? nil : decoding?.value {
        case .bytes: dataWithoutFields = decoding.map { ("bytes", $0.span) }
        case .text, .xml, .html: dataWithoutFields = decoding.map { ("a string", $0.span) }
        case .auto, .json, .ndjson, .sse, .csv, .plist, nil: dataWithoutFields = nil
        }
    }

    /// The merged levels, with removals for the names that a level removes. This is slow: for a key that is replaced as
    /// a whole, `nearest` finds the value that applies.
    var merged: Settings { far.merge(levels, service: service) }

    /// Returns the value at the nearest level with a key, for keys that are replaced as a whole: `nearest(HTTPVersion.key,
    /// { $0.http })`. `nil` if that is not fully known.
    func nearest<Value>(_ key: String, _ value: (Settings) -> Setting<Value>?) -> Setting<Value>? {
        levels.nearest(key, value)
    }

    /// The explicit body.
    var body: Setting<any RequestBody>? { nearest(BodySetting.key, { $0.body }) }

    /// The snapshot that the data is compared with.
    var snapshot: Setting<ExpectedSnapshot>? { nearest(ExpectationSetting.key, \.expectedSnapshot) }

    /// The maximum number of redirects that are followed.
    var redirects: Setting<Int>? { nearest(RedirectsSetting.key, { $0.redirects }) }

    /// Whether some level has a key.
    func has(_ key: String) -> Bool { levels.contains { $0.has(key) } }

    /// Whether some level has a key, or may have it.
    func mayHave(_ key: String) -> Bool { has(key) || unknown.contains(key) }

    /// The method, if it is known before the request is made.
    var method: String? { definition.knownMethod }
}

extension RequestDefinition {
    /// The method, if it is known before the request is made.
    var knownMethod: String? { unknown.contains(.method) ? nil : method.map(\.value.constantText) ?? "GET" }

    /// Whether its `params` are sent in the query, not in the body; `nil` if that is unknown.
    var sendsParametersInQuery: Bool? { knownMethod.map { ["GET", "HEAD", "DELETE"].contains($0) } }
}

extension [Settings] {
    fileprivate func nearest<Value>(_ key: String, _ value: (Settings) -> Setting<Value>?) -> Setting<Value>? {
        for level in reversed() {
            if level.unknown.contains(key) { return nil }
            if let found = value(level) { return found }
            if level.unknown.contains(SettingDefinitions.inherit) || level.declined.contains(where: { $0.value == key })
            {
                return nil
            }
        }
        return nil
    }
}

/// The outermost levels, which all requests of a manifest share: the defaults and the services. It is a class because a
/// manifest is slow to copy.
final class SharedLevels: Sendable {
    /// The settings of every request.
    let defaults: Settings
    let services: Definitions<Service>
    /// The parts of the manifest that errors in its text leave unknown.
    let unknown: UnknownContent
    /// The settings of each service merged with the defaults, by the name of the service.
    private let merged: [String: Settings]
    private let manifest: Manifest
    private let knownSources = Mutex<InputSources?>(nil)

    init(_ manifest: Manifest) {
        self.manifest = manifest
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

    /// Which inputs may have values from responses; determined when it is first needed, which it rarely is.
    var inputSources: InputSources {
        knownSources.withLock { known in
            let sources = known ?? InputSources(manifest)
            known = sources
            return sources
        }
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
    var settings: Settings?
    /// Its credentials for the operation that is called.
    private(set) var credentials = Settings()
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
            || settings.compactMap { $0.standalone }.last?.value
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
        if let operation = definition.operation?.operation, !standsAlone,
            let service = name.flatMap({ far.services[$0] }),
            let auth = service.value.credentials(for: operation).combined
        {
            credentials = Settings(auth: auth)
        }
    }

    /// Returns the levels of the cascade for one request of the service, the outermost first.
    ///
    /// - Parameter steps: The settings of the graphs and of the enclosing steps, from the outermost in.
    func levels(of definition: RequestDefinition, steps: [Settings], in far: SharedLevels) -> [Settings] {
        guard standsAlone else {
            var own = definition.settings
            if let operation = definition.operation, let name, !name.hasSameCodePoints(as: operation.service),
                settings?.mayHave(BaseURLSetting.key) ?? false
            {
                // The server of the operation is one of the service that its document describes.
                own = own.without { $0.value.key == BaseURLSetting.key && $0.span == definition.address.text.span }
            }
            return [far.defaults] + [settings].compactMap { $0 } + [credentials, own] + steps
        }
        // Of the graph and the steps, the settings from the level that has 'standalone' inwards remain: of an endpoint
        // that has it, those of the step that calls it.
        let first = steps.lastIndex { $0.has(StandaloneSetting.key) } ?? max(0, steps.count - 1)
        return [definition.settings] + steps[first...]
    }
}
