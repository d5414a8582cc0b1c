import Synchronization
import WaybillTransport

/// The transfers that equal requests with `duplicates: share` share while they are in flight.
final class SharedTransfers: Sendable {
    private struct Key: Hashable {
        var key: DuplicateKey
        /// The maximum number of redirects, which decides which response is the last one.
        var redirects: Int
        /// A request that is sent even when the run is being stopped does not wait for one that is not.
        var isFinal: Bool
    }

    private let transfers = Mutex<[Key: SharedWork<RequestSender.Outcome>]>([:])

    /// The number of tasks that wait for transfers, for tests.
    var waitingCount: Int {
        transfers.withLock { $0.values.reduce(0) { $0 + $1.waitingCount } }
    }

    /// Returns the outcome of an equal request that is in flight, or else of this transfer. The transfer continues as
    /// long as a task waits for it. `nil` if the task was cancelled.
    func join(
        _ key: DuplicateKey,
        redirects: Int,
        isFinal: Bool,
        _ transfer: @escaping @Sendable () async -> RequestSender.Outcome
    ) async -> RequestSender.Outcome? {
        let key = Key(key: key, redirects: redirects, isFinal: isFinal)
        let (work, ticket) = transfers.withLock { transfers in
            if let work = transfers[key], let ticket = work.join() { return (work, ticket) }
            let work = SharedWork<RequestSender.Outcome>()
            transfers[key] = work
            work.start { [self] in
                let outcome = await transfer()
                // From now on, an equal request starts another transfer.
                self.transfers.withLock { transfers in
                    if transfers[key] === work { transfers[key] = nil }
                }
                return outcome
            }
            return (work, work.firstTicket)
        }
        guard var outcome = await work.value(for: ticket) else { return nil }
        if ticket === work.firstTicket { return outcome }
        // No bytes were transferred for this request.
        outcome.cookieDomains = []
        if case .response(var response) = outcome.end {
            response = response.shared
            (response.bytesSent, response.bytesReceived) = (0, 0)
            outcome.end = .response(response)
        }
        return outcome
    }
}
