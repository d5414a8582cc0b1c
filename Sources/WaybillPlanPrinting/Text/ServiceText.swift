import WaybillManifest
import WaybillPlan

/// The settings that the requests of each service have in common, so that they are not repeated for each request.
struct ServiceText {
    /// The services in the order in which the plan first needs them; `nil` for the requests without a service. Each has
    /// a request with its settings, and the number of those that are from the defaults and the service.
    private(set) var services: [(name: String?, request: RequestPlan, count: Int)] = []

    private var positions: [String?: Int] = [:]

    /// Collects the settings that the requests of a plan have in common.
    init(_ plan: Plan) {
        for graph in plan.graphs + plan.sortedSubgraphs {
            for (_, request) in graph.body.requests + (graph.finally?.requests ?? []) { add(request) }
        }
        for (_, session) in plan.sortedSessions { add(session.request) }
    }

    /// Adds a request. Of the requests of a service, the one with the most settings is kept, because others may decline
    /// some.
    private mutating func add(_ request: RequestPlan) {
        let count = request.settings.entries.count { $0.level.isShared }
        guard count > 0 else { return }
        let position = positions[request.service] ?? services.count
        positions[request.service] = position
        if position == services.count {
            services.append((request.service, request, count))
        } else if count > services[position].count {
            services[position] = (request.service, request, count)
        }
    }
}
