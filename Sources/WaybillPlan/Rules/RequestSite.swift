import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A request and where it would be sent from.
final class RequestSite: Sendable {
    /// The request as written.
    let definition: RequestDefinition
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
    private let far: FarLevels

    init(
        _ definition: RequestDefinition,
        step: StepSite?,
        endpoint: String?,
        span: SourceSpan,
        in far: FarLevels
    ) {
        self.definition = definition
        let steps = step?.settings ?? []
        self.steps = steps
        self.endpoint = endpoint
        self.span = span
        self.far = far
        service = RequestService(of: definition, from: step?.step, settings: steps, in: far)
        levels = RequestLayers(definition, service: service, steps: steps, in: far).settings
        unknown = levels.reduce(into: SettingNames()) { $0.formUnion($1.unknown) }
        expectedStatus = levels.nearest(.expect) { if case .expectStatus(let status) = $0 { status } else { nil } }
    }

    /// The levels merged; names that were taken away are in it as removals. This takes a while: `nearest` tells of a key
    /// that is replaced whole what applies.
    var merged: Settings { far.merge(levels, service: service) }

    /// What the nearest level says that a closure finds a value in, for keys that are replaced whole. Nothing where that is
    /// not fully known.
    func nearest<Value>(_ name: SettingName, _ value: (SettingValue) -> Value?) -> Setting<Value>? {
        levels.nearest(name, value)
    }

    /// The explicit body.
    var body: Setting<any RequestBody>? { nearest(.body) { if case .body(let body) = $0 { body } else { nil } } }

    /// The greatest number of redirects that are followed.
    var redirects: Setting<Int>? { nearest(.redirects) { if case .redirects(let count) = $0 { count } else { nil } } }

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
    fileprivate func nearest<Value>(_ name: SettingName, _ value: (SettingValue) -> Value?) -> Setting<Value>? {
        for level in reversed() {
            if level.unknown.contains(name) { return nil }
            if let found = level.last(name, value) { return found }
            if level.unknown.contains(SettingNames.inherit) || level.declined.contains(where: { $0.value == name }) {
                return nil
            }
        }
        return nil
    }
}
