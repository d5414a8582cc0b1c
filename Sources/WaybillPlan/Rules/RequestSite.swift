import OrderedCollections
import WaybillDiagnostics
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
    }

    /// The merged levels, with removals for the names that a level removes. This is slow: for a key that is replaced as
    /// a whole, `nearest` finds the value that applies.
    var merged: Settings { far.merge(levels, service: service) }

    /// Returns the value at the nearest level with a key, for keys that are replaced as a whole: `nearest(HTTPVersion.key,
    /// \.http)`. `nil` if that is not fully known.
    func nearest<Value>(_ key: String, _ value: (Settings) -> Setting<Value>?) -> Setting<Value>? {
        levels.nearest(key, value)
    }

    /// The explicit body.
    var body: Setting<any RequestBody>? { nearest(BodySetting.key, \.body) }

    /// The maximum number of redirects that are followed.
    var redirects: Setting<Int>? { nearest(RedirectsSetting.key, \.redirects) }

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
