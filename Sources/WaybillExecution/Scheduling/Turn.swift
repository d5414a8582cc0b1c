import WaybillManifest
import WaybillPlan

/// What a request says of itself when it asks for its turn.
struct TurnWish: Sendable {
    /// A rate, and the requests that fall under it together.
    struct Lane: Sendable {
        /// The service; empty for requests without one.
        var name: String
        /// How many may begin in a time.
        var rate: RequestRate
        /// How many of those that go to the service's own address may be under way at once. More would wait for a
        /// connection, and then begin faster than the rate allows.
        var limit: Int?
    }

    /// Which of those that wait goes first.
    var priority = Priority.default
    /// The rate that it falls under.
    var lane: Lane?
    /// Whether it waits for a place among the requests under way. Those that fetch a session do not: others hold places
    /// while they wait for it.
    var needsPlace = true
    /// Whether it goes on waiting when the run is being stopped.
    var isFinal = false
}

/// A request's permission to be under way, which has to be given back.
struct Turn: Sendable {
    /// The lane that it counts in, if it has one.
    let lane: String?
    /// Whether it has one of the run's places.
    let hasPlace: Bool
}

extension TurnWish {
    /// What a request of a step says of itself.
    init(_ request: RequestPlan, in context: StepContext) {
        priority = request.settings.priority?.value ?? .default
        needsPlace = context.waitsForPlaces
        isFinal = context.isFinal
        lane = Lane(request)
    }
}

extension TurnWish.Lane {
    /// The rate that a request falls under, if it does.
    init?(_ request: RequestPlan) {
        guard let rate = request.settings.rate?.value else { return nil }
        self.rate = rate
        name = request.service ?? ""
        if case .path = request.address { limit = request.settings.maxConnections?.value ?? 8 }
    }
}
