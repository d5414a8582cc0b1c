import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// A manifest and what the rules ask of it again and again, computed once.
final class RuleSubject: Sendable {
    /// The manifest, with the environment laid over it.
    let manifest: Manifest
    /// What was read from its data files, by name; what could not be read is absent.
    let data: JSONObject
    /// Whether files may lie outside their folders.
    let allowsOutside: Bool
    /// The steps by their ids.
    let steps: StepIndex
    /// Every request that there can be: each endpoint by itself, each request in place, and each call that has settings of
    /// its own or around it. A call without any is as its endpoint.
    let requests: [RequestSite]
    /// The endpoints that are called by steps, each with whether some call has no settings of its own or around it.
    let calledEndpoints: [String: Bool]

    init(_ manifest: Manifest, data: JSONObject = JSONObject(), allowsOutside: Bool = false) {
        self.manifest = manifest
        self.data = data
        self.allowsOutside = allowsOutside
        var steps = StepIndex()
        var calledEndpoints: [String: Bool] = [:]
        var requests: [RequestSite] = []
        let layers = LayerCache(manifest)
        for (name, endpoint) in manifest.endpoints {
            let request = endpoint.value.request
            requests.append(RequestSite(request, step: nil, endpoint: name, span: endpoint.name.span, layers))
        }
        var sites: [StepSite] = []
        manifest.forEachStep { site in
            sites.append(site)
            steps.add(site.step, in: site.graph.name.value)
            switch site.step.action {
            case .request(let definition):
                requests.append(RequestSite(definition, step: site, endpoint: nil, span: site.step.span, layers))
            case .call(let call):
                guard let endpoint = manifest.endpoints[call.name.value]?.value else { return }
                let isPlain = !site.hasSettings
                calledEndpoints[call.name.value] = isPlain || calledEndpoints[call.name.value] ?? false
                if !isPlain {
                    let name = call.name.value
                    requests.append(
                        RequestSite(endpoint.request, step: site, endpoint: name, span: call.name.span, layers)
                    )
                }
            case .group, .graph, .values, .end:
                return
            }
        }
        self.steps = steps
        self.sites = sites
        uses = UseCollection(manifest: manifest, steps: sites).all
        self.requests = requests
        self.calledEndpoints = calledEndpoints
        var requestsBySpan: [SourceSpan: Int] = [:]
        for (index, request) in requests.enumerated() { requestsBySpan[request.span] = index }
        self.requestsBySpan = requestsBySpan
    }

    private let requestsBySpan: [SourceSpan: Int]
    private let sites: [StepSite]
    /// Every use of the expression language, and where it stands.
    let uses: [(use: ExpressionUse, place: UsePlace)]

    /// Calls a closure with every step of every graph.
    func forEachStep(_ body: (StepSite) -> Void) {
        for site in sites { body(site) }
    }

    /// The request of an endpoint by itself.
    func request(ofEndpoint name: String) -> RequestSite? {
        manifest.endpoints[name].flatMap { requestsBySpan[$0.name.span] }.map { requests[$0] }
    }

    /// The request that a step sends, if it sends one itself.
    func request(of step: Step) -> RequestSite? {
        switch step.action {
        case .request:
            return requestsBySpan[step.span].map { requests[$0] }
        case .call(let call):
            return requestsBySpan[call.name.span].map { requests[$0] } ?? request(ofEndpoint: call.name.value)
        case .group, .graph, .values, .end:
            return nil
        }
    }
}

extension RuleSubject {
    /// What a check finds in all requests. Calls of one endpoint share what it says, which is told once.
    func findingsOfRequests(_ check: (RequestSite) -> [Diagnostic]) -> [Diagnostic] {
        var seen: Set<SourceSpan> = []
        return requests.flatMap(check).filter { finding in
            finding.primary.map { seen.insert($0.span).inserted } ?? false
        }
    }
}

/// A step and where it stands.
final class StepSite: Sendable {
    /// The graph.
    let graph: Definition<Graph>
    /// The steps around it, outer to inner.
    let around: [Step]
    /// The step.
    let step: Step
    /// Whether it is one of those that always run at the end, or inside one.
    let isFinal: Bool

    init(graph: Definition<Graph>, around: [Step], step: Step, isFinal: Bool) {
        self.graph = graph
        self.around = around
        self.step = step
        self.isFinal = isFinal
    }

    /// The settings of the graph, of the steps around and of the step, outer to inner.
    var settings: [Settings] { [graph.value.settings] + around.map(\.settings) + [step.settings] }

    /// Whether any of those says something.
    var hasSettings: Bool {
        !step.settings.isEmpty || !graph.value.settings.isEmpty || around.contains { !$0.settings.isEmpty }
    }
}

extension Manifest {
    /// Every step of every graph.
    func forEachStep(_ body: (StepSite) -> Void) {
        func visit(_ steps: [Step], around: [Step], in graph: Definition<Graph>, isFinal: Bool) {
            for step in steps {
                body(StepSite(graph: graph, around: around, step: step, isFinal: isFinal))
                let inner = step.steps
                if !inner.isEmpty { visit(inner, around: around + [step], in: graph, isFinal: isFinal) }
            }
        }
        for graph in graphs.values {
            visit(graph.value.body.steps, around: [], in: graph, isFinal: false)
            visit(graph.value.finally?.steps ?? [], around: [], in: graph, isFinal: true)
        }
    }
}

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
    /// The merged far levels of each service.
    private let far: LayerCache

    fileprivate init(
        _ definition: RequestDefinition,
        step: StepSite?,
        endpoint: String?,
        span: SourceSpan,
        _ layers: LayerCache
    ) {
        self.definition = definition
        let steps = step?.settings ?? []
        self.steps = steps
        self.endpoint = endpoint
        self.span = span
        let service = RequestService(of: definition, settings: steps, in: layers.manifest)
        self.service = service
        let levels = RequestLayers(definition, service: service, steps: steps, in: layers.manifest).settings
        self.levels = levels
        far = layers
    }

    /// The levels merged; names that were taken away are in it as removals. This takes a while: `nearest` tells of a key
    /// that is replaced whole what applies.
    var merged: Settings { far.merge(levels, service: service) }

    /// What the nearest level says that a closure finds a value in, for keys that are replaced whole.
    func nearest<Value>(_ name: SettingName, _ value: (SettingValue) -> Value?) -> Setting<Value>? {
        for level in levels.reversed() {
            if let found = level.last(name, value) { return found }
            if level.declined.contains(where: { $0.value == name }) { return nil }
        }
        return nil
    }

    /// The explicit body.
    var body: Setting<BodyDefinition>? { nearest(.body) { if case .body(let body) = $0 { body } else { nil } } }

    /// The statuses that are expected.
    var expectedStatus: Setting<[StatusPattern]>? {
        nearest(.expect) { if case .expectStatus(let status) = $0 { status } else { nil } }
    }

    /// The greatest number of redirects that are followed.
    var redirects: Setting<Int>? { nearest(.redirects) { if case .redirects(let count) = $0 { count } else { nil } } }

    /// Whether some level says a key.
    func has(_ name: SettingName) -> Bool { levels.contains { $0.has(name) } }

    /// The method.
    var method: String { definition.method?.value ?? "GET" }
}

/// The merged far levels of each service, which all of its requests share.
private final class LayerCache: Sendable {
    let manifest: Manifest
    private let far: [String: Settings]

    init(_ manifest: Manifest) {
        self.manifest = manifest
        far = Dictionary(
            uniqueKeysWithValues: manifest.services.map { name, service in
                (name, Cascade.merge([manifest.defaults, service.value.settings]))
            }
        )
    }

    func merge(_ levels: [Settings], service: RequestService) -> Settings {
        // Levels of a request that stands alone do not begin with those of its service.
        guard let name = service.name, !service.standsAlone, var merged = far[name] else {
            return Cascade.merge(levels)
        }
        for level in levels.dropFirst(2) where !level.isEmpty { merged.apply(level) }
        return merged
    }
}
