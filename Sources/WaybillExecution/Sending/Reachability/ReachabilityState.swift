/// Decides whether requests to a service are sent: not before a connection to it was established, and not while the
/// last attempt to connect has failed.
struct ReachabilityState: Sendable {
    /// What happens to a request.
    enum Action: Sendable, Equatable {
        /// It is sent.
        case go
        /// It fails immediately, for this reason.
        case refuse(String)
        /// A connection is tried first.
        case probe
        /// It waits for the result of the check that is in flight.
        case wait
    }

    private enum ReachabilityResult: Equatable {
        case unknown
        case reachable
        case unreachable(reason: String, since: Duration)
    }

    /// How long requests are refused before a connection is tried again.
    static let interval = Duration.seconds(1)

    private var knowledge = ReachabilityResult.unknown
    private var isProbing = false
    /// What the last check found, if there was one.
    private var wasReachable: Bool?

    /// Decides what happens to a request.
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

    /// Notes the result of a check: the reason if no connection could be established, otherwise `nil`. Returns whether it
    /// differs from that of the check before.
    @discardableResult
    mutating func probed(_ reason: String?, now: Duration) -> Bool {
        isProbing = false
        defer { wasReachable = reason == nil }
        knowledge = reason.map { .unreachable(reason: $0, since: now) } ?? .reachable
        return wasReachable.map { $0 != (reason == nil) } ?? false
    }

    /// Notes that the check was cancelled before it had a result.
    mutating func gaveUp() { isProbing = false }

    /// Notes that the transfer of a request failed: a connection is tried before the next request.
    mutating func failed() {
        if knowledge == .reachable { knowledge = .unknown }
    }

    /// Why requests are refused now, if they are.
    var refusal: String? {
        if case .unreachable(let reason, _) = knowledge { reason } else { nil }
    }
}
