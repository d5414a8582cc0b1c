import Synchronization
import WaybillTransport

/// The transfers that equal requests with `duplicates: share` share while they are in flight.
final class SharedTransfers: Sendable {
    private struct Key: Hashable {
        var key: DuplicateKey
        /// A request that is sent even when the run is being stopped does not wait for one that is not.
        var isFinal: Bool
    }

    private struct State {
        var transfers: [Key: (number: Int, work: SharedWork<RequestSender.Outcome>)] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Nothing is in flight.
    init() {}

    /// The number of tasks that wait for transfers, for tests.
    var waitingCount: Int {
        state.withLock { $0.transfers.values.reduce(0) { $0 + $1.work.waitingCount } }
    }

    /// Returns the outcome of an equal request that is in flight, or else of this transfer. The transfer continues as
    /// long as a task waits for it. `nil` if the task was cancelled.
    func join(
        _ key: DuplicateKey,
        isFinal: Bool,
        _ transfer: @escaping @Sendable () async -> RequestSender.Outcome
    ) async -> RequestSender.Outcome? {
        let key = Key(key: key, isFinal: isFinal)
        let (work, ticket, isOwn) = state.withLock { state in
            if let work = state.transfers[key]?.work, let ticket = work.join() { return (work, ticket, false) }
            let work = SharedWork<RequestSender.Outcome>()
            guard let ticket = work.join() else { preconditionFailure("new work was already abandoned") }
            state.lastNumber += 1
            let number = state.lastNumber
            state.transfers[key] = (number, work)
            work.start { [self] in
                let outcome = await transfer()
                // From now on, an equal request starts another transfer.
                self.state.withLock { state in
                    if state.transfers[key]?.number == number { state.transfers[key] = nil }
                }
                return outcome
            }
            return (work, ticket, true)
        }
        guard var outcome = await work.value(for: ticket) else { return nil }
        if isOwn { return outcome }
        // No bytes were transferred for this request.
        outcome.cookieDomains = []
        if case .response(var response) = outcome.end {
            (response.bytesSent, response.bytesReceived) = (0, 0)
            outcome.end = .response(response)
        }
        return outcome
    }
}
