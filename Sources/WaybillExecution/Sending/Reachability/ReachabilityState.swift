/// Decides whether requests to a service are sent: not before one connection to it has come about, and not while the last
/// try of one has failed.
struct ReachabilityState: Sendable {
    /// What is done with a request.
    enum Action: Sendable, Equatable {
        /// It is sent.
        case go
        /// It ends at once, for this reason.
        case refuse(String)
        /// It tries a connection first.
        case probe
        /// Wait for the result of the check that is in flight.
        case wait
    }

    private enum Knowledge: Equatable {
        case unknown
        case reachable
        case unreachable(reason: String, since: Duration)
    }

    /// How long requests are refused before a connection is tried again.
    static let interval = Duration.seconds(1)

    private var knowledge = Knowledge.unknown
    private var isProbing = false

    /// Nothing is known.
    init() {}

    /// What is done with a request that comes now.
    mutating func ask(now: Duration) -> Action {
        switch knowledge {
        case .reachable: return .go
        case .unreachable(let reason, let since):
            if isProbing || now - since < Self.interval { return .refuse(reason) }
        case .unknown:
            if isProbing { return .wait }
        }
        isProbing = true
        return .probe
    }

    /// The try has ended; there is a reason where no connection came about.
    mutating func probed(_ reason: String?, now: Duration) {
        isProbing = false
        knowledge = reason.map { .unreachable(reason: $0, since: now) } ?? .reachable
    }

    /// The try was given up before it came to anything.
    mutating func gaveUp() { isProbing = false }

    /// A request failed on its way: a connection is tried before the next.
    mutating func failed() {
        if knowledge == .reachable { knowledge = .unknown }
    }

    /// Why requests are refused now, if they are.
    var refusal: String? {
        if case .unreachable(let reason, _) = knowledge { reason } else { nil }
    }
}
