import WaybillManifest
import WaybillPlan

/// What the requests of each service have in common, so that it need not be said of each of them.
struct ServiceText {
    /// The services in the order in which the plan first needs them; `nil`: the requests that belong to none. Each with
    /// a request that has nothing but the settings of defaults and service.
    private(set) var services: [(name: String?, request: RequestPlan)] = []

    private var positions: [String?: Int] = [:]

    /// What the requests of a plan have in common.
    init(_ plan: Plan) {
        for graph in plan.graphs + plan.sortedSubgraphs {
            for (_, request) in graph.body.requests + (graph.finally?.requests ?? []) { add(request) }
        }
        for (_, session) in plan.sortedSessions { add(session.request) }
    }

    /// Of the requests of a service the one counts that has most, since others may decline something.
    private mutating func add(_ request: RequestPlan) {
        let count = request.settings.entries.count { $0.level.distance == .far }
        guard count > 0 else { return }
        guard let position = positions[request.service] else {
            positions[request.service] = services.count
            services.append((request.service, request.settings(at: .far)))
            return
        }
        if count > services[position].request.settings.entries.count {
            services[position].request = request.settings(at: .far)
        }
    }
}
