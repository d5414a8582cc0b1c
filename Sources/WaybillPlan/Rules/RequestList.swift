import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// Every request that a manifest can send.
struct RequestList: Sendable {
    /// The maximum number of steps of graphs that other steps run with settings. They are counted for each such step, so
    /// that a few nested graphs could have any number of them.
    static let maximumOfCalledGraphs = 20_000

    /// Each endpoint by itself, each request in a step, and each call that has settings of its own or around it or
    /// names a service. Any other call is the same as its endpoint. The requests of a graph are listed again for each
    /// step that runs it with settings.
    let all: [RequestSite]
    /// The step that runs a graph with too many steps; see `maximumOfCalledGraphs`.
    let excess: StepSite?

    /// The requests that belong to one step only, by the numbers of the steps.
    private let ofSteps: [RequestSite?]
    /// For each endpoint that steps call, whether any call has neither settings, its own or around it, nor a service.
    private let plainCalls: [Bool?]
    /// The requests of graphs that are run with settings, by the numbers of their steps.
    private let ofCalledGraphs: [Int: [RequestSite]]
    /// Whether a step may call any endpoint, because of errors in the manifest.
    private let mayCallAny: Bool
    private let manifest: Manifest
    private let far: SharedLevels

    /// Collects the requests of a manifest. Its graphs must be resolved already.
    init(of manifest: Manifest, _ graphs: [GraphSite]) {
        self.manifest = manifest
        let far = SharedLevels(manifest)
        self.far = far
        var all = manifest.endpoints.values.map { endpoint in
            let name = endpoint.name
            return RequestSite(
                endpoint.value.request,
                step: nil,
                endpoint: name.value,
                span: name.span,
                in: far
            )
        }
        var plainCalls = [Bool?](repeating: nil, count: all.count)
        var ofSteps: [RequestSite?] = []
        for site in graphs.lazy.flatMap(\.all) {
            let isPlain = !site.hasSettings && site.step.service == nil
            if case .endpoint(_, let position) = site.callee {
                plainCalls[position] = isPlain || plainCalls[position] ?? false
            }
            let request = isPlain && site.endpoint != nil ? nil : RequestSite(of: site, in: far)
            ofSteps.append(request)
            if let request { all.append(request) }
        }
        var called = CalledGraphs(graphs, in: far)
        for graph in graphs { called.add(graph, calledBy: []) }
        excess = called.excess
        // Too many are an error, and not checked further.
        let ofCalledGraphs = excess == nil ? called.requests : []
        self.ofCalledGraphs = Dictionary(grouping: ofCalledGraphs) { $0.step?.number ?? 0 }
        self.all = all + ofCalledGraphs
        self.ofSteps = ofSteps
        self.plainCalls = plainCalls
        mayCallAny = graphs.contains { $0.mayHaveOtherIDs }
    }

    /// Returns the request of an endpoint by itself.
    func ofEndpoint(_ name: String) -> RequestSite? { manifest.endpoints.index(forKey: name).map { all[$0] } }

    /// Returns the requests that a step sends, if it sends one itself: that of its graph by itself first, then those of
    /// the graph as other steps run it with settings.
    func of(_ site: StepSite) -> [RequestSite] {
        guard let own = of(site, calledBy: []) else { return [] }
        return [own] + (ofCalledGraphs[site.number] ?? [])
    }

    /// Returns the request that a step sends when steps run its graph with settings, or, without these, its graph by
    /// itself.
    func of(_ site: StepSite, calledBy callers: [StepSite]) -> RequestSite? {
        if !callers.isEmpty { return RequestSite(of: site, calledBy: callers, in: far) }
        if let own = ofSteps[site.number] { return own }
        if case .endpoint(_, let position) = site.callee { return all[position] }
        return nil
    }

    /// Whether steps call an endpoint, and all calls have a service or settings of their own or around them. Also true
    /// if a step with an unknown callee may be the only caller.
    func isCalledWithSettingsOnly(_ endpoint: String) -> Bool {
        guard let index = manifest.endpoints.index(forKey: endpoint) else { return false }
        return plainCalls[index].map { !$0 } ?? mayCallAny
    }
}

/// Collects the requests of graphs that steps run with settings.
private struct CalledGraphs {
    private(set) var requests: [RequestSite] = []
    private(set) var excess: StepSite?
    private var left = RequestList.maximumOfCalledGraphs
    private let graphs: [String: GraphSite]
    private let far: SharedLevels

    init(_ graphs: [GraphSite], in far: SharedLevels) {
        self.graphs = Dictionary(graphs.map { ($0.definition.name.value, $0) }) { first, _ in first }
        self.far = far
    }

    /// Adds the requests of the graphs that the steps of a graph run with settings.
    ///
    /// It recurses as deep as graphs are nested, which a rule limits.
    mutating func add(_ graph: GraphSite, calledBy callers: [StepSite]) {
        for site in graph.all {
            if let caller = callers.first {
                guard left > 0 else { return excess = excess ?? caller }
                left -= 1
                if let request = RequestSite(of: site, calledBy: callers, in: far) { requests.append(request) }
            }
            guard case .graph(let call) = site.step.action, let called = graphs[call.name.value],
                let inner = site.callers(inside: callers), inner.count <= GraphNames.maximumDepth,
                // A cycle is an error.
                !inner.contains(where: { $0.graph.name.value == call.name.value })
            else { continue }
            add(called, calledBy: inner)
        }
    }
}

extension RequestSite {
    /// The request that a step sends; `nil` if it does not send one itself.
    fileprivate convenience init?(of site: StepSite, calledBy callers: [StepSite] = [], in far: SharedLevels) {
        switch site.step.action {
        case .call(let call):
            guard let endpoint = site.endpoint else { return nil }
            let (name, span) = (call.name.value, call.name.span)
            self.init(endpoint.request, step: site, callers: callers, endpoint: name, span: span, in: far)
        case .request(let definition):
            self.init(definition, step: site, callers: callers, endpoint: nil, span: site.step.span, in: far)
        case .graph, .group, .values, .end: return nil
        }
    }
}

extension StepSite {
    /// Returns the callers of the requests in the graph that this step runs: those of the step, and the step itself;
    /// `nil` if none has settings.
    func callers(inside callers: [StepSite]) -> [StepSite]? {
        callers.isEmpty && !settings.contains(where: \.concernsRequests) ? nil : callers + [self]
    }
}

extension Settings {
    /// Whether there is a setting that has an effect on requests.
    fileprivate var concernsRequests: Bool {
        !declined.isEmpty || !unknown.isEmpty
            || entries.contains { $0.value.key != ConcurrencySetting.key && $0.value.key != TagSetting.key }
    }
}
