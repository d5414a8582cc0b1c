import Synchronization
import WaybillDiagnostics
import WaybillTransport

/// Knows which services can be reached, from earlier attempts to connect.
final class Reachability: Sendable {
    /// A service at one of its addresses.
    struct Destination: Hashable, Sendable {
        /// The service; empty for requests without one.
        var service: String
        /// The address.
        var origin: Origin
    }

    /// What happens to a request.
    enum Verdict: Sendable, Equatable {
        /// It is sent.
        case go
        /// It fails immediately, for this reason.
        case refused(String)
        /// It was stopped while it waited.
        case stopped
    }

    private struct Entry {
        var state = ReachabilityState()
        var probe: SharedWork<TransportFailure?>?
    }

    private typealias Waiting = (work: SharedWork<TransportFailure?>, own: SharedWork<TransportFailure?>.Ticket)

    private let probe: any NetworkProbe
    private let clock: any RunClock
    /// Reports that a service can no longer be reached, for a reason, or that it can be reached again.
    private let onChange: @Sendable (Destination, _ reason: String?) -> Void
    private let entries = Mutex<[Destination: Entry]>([:])

    /// Nothing is known.
    init(
        _ probe: any NetworkProbe,
        clock: any RunClock,
        onChange: @escaping @Sendable (Destination, String?) -> Void = { _, _ in }
    ) {
        self.onChange = onChange
        self.probe = probe
        self.clock = clock
    }

    /// Decides what happens to a request. If nothing is known, a connection is tried, once for all requests that ask in
    /// the meantime.
    func check(_ request: HTTPRequest, at destination: Destination) async -> Verdict {
        while !Task.isCancelled {
            let waiting = entries.withLock { entries -> Waiting? in
                guard case let action = entries[destination, default: Entry()].state.ask(now: clock.now),
                    action == .probe || action == .wait
                else { return nil }
                if action == .wait, let work = entries[destination]?.probe, let own = work.join() {
                    return (work, own)
                }
                return begin(request, at: destination, &entries)
            }
            guard let (work, own) = waiting else {
                return refusal(at: destination).map { .refused($0) } ?? .go
            }
            guard let outcome = await work.value(for: own) else { return .stopped }
            guard let failure = outcome else { return .go }
            if failure.kind != .cancelled { return .refused(failure.message) }
        }
        return .stopped
    }

    /// Why requests are refused now, if they are.
    func refusal(at destination: Destination) -> String? {
        entries.withLock { $0[destination]?.state.refusal }
    }

    /// Notes that the transfer of a request failed.
    func failed(at destination: Destination) {
        entries.withLock { $0[destination]?.state.failed() }
    }

    /// Starts a check; possibly instead of one that nothing waits for any more.
    private func begin(
        _ request: HTTPRequest,
        at destination: Destination,
        _ entries: inout [Destination: Entry]
    ) -> Waiting {
        let work = SharedWork<TransportFailure?>()
        entries[destination]?.probe = work
        work.start { [self] in
            let failure = await probe.reach(request)
            let now = clock.now
            let hasChanged = self.entries.withLock { entries -> Bool? in
                guard entries[destination]?.probe === work else { return nil }
                entries[destination]?.probe = nil
                guard failure?.kind == .cancelled else {
                    return entries[destination]?.state.probed(failure?.message, now: now)
                }
                entries[destination]?.state.gaveUp()
                return nil
            }
            if hasChanged == true { onChange(destination, failure?.message) }
            return failure
        }
        return (work, work.firstTicket)
    }
}
