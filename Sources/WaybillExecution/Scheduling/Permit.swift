import WaybillManifest
import WaybillPlan

/// What a request asks for before it is sent.
struct PermitRequest: Sendable {
    /// The requests that share a rate.
    struct Queue: Sendable {
        /// The service; empty for requests without one.
        var name: String
        /// How many may start in a time.
        var rate: RequestRate
        /// How many of those to the service's own address may be in flight at once. More would wait for a connection,
        /// and then start faster than the rate allows.
        var limit: Int?
    }

    /// Which of those that wait is first.
    var priority = Priority.default
    /// The queue that its rate is for, if it has one.
    var queue: Queue?
    /// Whether it needs one of the run's places. Those that fetch a session do not: others hold places
    /// while they wait for it.
    var needsPlace = true
    /// Whether it still waits when the run is being stopped.
    var isFinal = false
}

/// A request's permission to be in flight, which has to be released.
struct Permit: Sendable {
    /// The queue that it counts in, if it has one.
    let queue: String?
    /// Whether it has one of the run's places.
    let hasPlace: Bool
}

extension PermitRequest {
    /// The request of a step.
    init(_ request: RequestPlan, in context: StepContext) {
        priority = request.settings.priority?.value ?? .default
        needsPlace = context.waitsForPlaces
        isFinal = context.isFinal
        queue = Queue(request)
    }
}

extension PermitRequest.Queue {
    /// The queue of a request whose service has a rate.
    init?(_ request: RequestPlan) {
        guard let rate = request.settings.rate?.value else { return nil }
        self.rate = rate
        name = request.service ?? ""
        if case .path = request.address { limit = request.settings.maxConnections?.value ?? 8 }
    }
}
