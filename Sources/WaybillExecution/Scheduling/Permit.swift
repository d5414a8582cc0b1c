import WaybillManifest
import WaybillPlan
import WaybillRuntime

/// A request for a permit to send a request.
struct PermitRequest: Sendable {
    /// The requests that share a rate.
    struct Queue: Sendable {
        /// The service; empty for requests without one.
        var name: String
        var rate: RequestRate
        /// The maximum number of requests in flight to the service's own address. More would wait for a connection, and
        /// then start faster than the rate allows.
        var limit: Int?
    }

    /// The priority among the waiting requests.
    var priority = Priority.default
    /// The queue of its service, if the service has a rate.
    var queue: Queue?
    /// Whether it counts towards the run's limit of requests in flight. The requests of a session do not, because the
    /// requests that wait for the session count already.
    var needsSlot = true
    /// Whether it remains in the queue when the run is being stopped.
    var isFinal = false
}

/// A request's permission to be in flight, which has to be released.
struct Permit: Sendable {
    /// The queue of its service, if the service has a rate.
    let queue: String?
    /// Whether it counts towards the run's limit of requests in flight.
    let hasSlot: Bool
}

extension PermitRequest {
    /// The request for a permit to send the request of a step.
    init(_ request: RequestPlan, in context: StepContext) {
        priority = request.settings.priority?.value ?? .default
        needsSlot = !context.isForSession
        isFinal = context.isFinal
        queue = Queue(request, in: context.run.shard)
    }
}

extension PermitRequest.Queue {
    /// The queue of a request whose service has a rate.
    init?(_ request: RequestPlan, in shard: Shard?) {
        guard let rate = request.settings.rate(in: shard) else { return nil }
        self.rate = rate
        name = request.service ?? ""
        if case .path = request.address { limit = request.settings.maximumConnections(in: shard) }
    }
}

extension Settings {
    /// The maximum number of connections to one origin. A number that the manifest sets is divided among the shards.
    func maximumConnections(in shard: Shard?) -> Int {
        guard let maximum = maxConnections?.value else { return 8 }
        return shard?.share(of: maximum) ?? maximum
    }

    /// The maximum number of requests that start in an interval, divided among the shards.
    fileprivate func rate(in shard: Shard?) -> RequestRate? {
        let rate = rate?.value
        guard let shard, !shard.hasFullLimits else { return rate }
        return rate?.divided(by: shard.count)
    }
}
