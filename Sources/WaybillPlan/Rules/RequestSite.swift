import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A request with its service and the levels of its cascade, resolved once for the rules and for plans.
final class RequestSite: Sendable {
    /// The request as written.
    let definition: RequestDefinition
    /// The step that sends it; `nil` for an endpoint by itself.
    let step: StepSite?
    /// The settings of the graph and of the steps around it, outer to inner; none for an endpoint by itself.
    let steps: [Settings]
    /// The endpoint; `nil` for a request in place.
    let endpoint: String?
    /// The place to blame.
    let span: SourceSpan
    /// The service that it belongs to.
    let service: RequestService
    /// The levels of its cascade, the farthest first.
    let levels: [Settings]
    /// The keys of which it is not fully known what some level says.
    let unknown: SettingNames
    /// The statuses that are expected, if that is known.
    let expectedStatus: Setting<[StatusTemplate]>?
    /// The levels that are the same for other requests.
    let far: FarLevels

    init(
        _ definition: RequestDefinition,
        step: StepSite?,
        endpoint: String?,
        span: SourceSpan,
        in far: FarLevels
    ) {
        self.definition = definition
        self.step = step
        let steps = step?.settings ?? []
        self.steps = steps
        self.endpoint = endpoint
        self.span = span
        self.far = far
        service = RequestService(of: definition, from: step?.step, settings: steps, in: far)
        levels = RequestLayers(definition, service: service, steps: steps, in: far).settings
        unknown = levels.reduce(into: SettingNames()) { $0.formUnion($1.unknown) }
        expectedStatus = levels.nearest(.expect, \.expectedStatus)
    }

    /// The levels merged; names that were taken away are in it as removals. This takes a while: `nearest` tells of a key
    /// that is replaced whole what applies.
    var merged: Settings { far.merge(levels, service: service) }

    /// The value at the nearest level with a key, for keys that are replaced as a whole: `nearest(.http, \.http)`.
    /// `nil` if that is not fully known.
    func nearest<Value>(_ name: SettingName, _ value: (Settings) -> Setting<Value>?) -> Setting<Value>? {
        levels.nearest(name, value)
    }

    /// The explicit body.
    var body: Setting<any RequestBody>? { nearest(.body, \.body) }

    /// The greatest number of redirects that are followed.
    var redirects: Setting<Int>? { nearest(.redirects, \.redirects) }

    /// Whether some level says a key.
    func has(_ name: SettingName) -> Bool { levels.contains { $0.has(name) } }

    /// Whether some level says a key, or may say it.
    func mayHave(_ name: SettingName) -> Bool { has(name) || unknown.contains(name) }

    /// The method, if it is known before the request is made.
    var method: String? { definition.knownMethod }
}

extension RequestDefinition {
    /// The method, if it is known before the request is made.
    var knownMethod: String? { unknown.contains(.method) ? nil : method.map(\.value.constantText) ?? "GET" }

    /// Whether its `params` go to the query rather than into the body, if that is known.
    var sendsParametersInQuery: Bool? { knownMethod.map { ["GET", "HEAD", "DELETE"].contains($0) } }
}

extension [Settings] {
    fileprivate func nearest<Value>(_ name: SettingName, _ value: (Settings) -> Setting<Value>?) -> Setting<Value>? {
        for level in reversed() {
            if level.unknown.contains(name) { return nil }
            if let found = value(level) { return found }
            if level.unknown.contains(SettingNames.inherit) || level.declined.contains(where: { $0.value == name }) {
                return nil
            }
        }
        return nil
    }
}
