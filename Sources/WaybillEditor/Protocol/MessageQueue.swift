import Synchronization
import WaybillJSON
import WaybillRuntime

/// The messages that a thread has read from the client and that the server has not handled yet. Reading ahead is what makes
/// it possible to cancel a request, and to check a text once after several edits.
final class MessageQueue: Sendable {
    /// The number of messages that wait at most; the thread then stops reading.
    private static let capacity = 4096

    private struct State {
        var results: [MessageReader.Result] = []
        /// The number of results that were taken, which stay in the list until all of it was.
        var taken = 0
        var cancelled: Set<JSON> = []
        var waiting: Int { results.count - taken }

        /// Whether a request with an id is waiting.
        func holds(_ id: JSON) -> Bool {
            results[taken...].contains { result in
                if case .message(.request(let other, _, _)) = result { other == id } else { false }
            }
        }
    }

    private let state = Mutex(State())
    private let arrival: WakeUp
    private let room: WakeUp

    init() throws(SystemError) {
        arrival = try WakeUp()
        room = try WakeUp()
    }

    /// Adds what was read, and waits while too much is waiting. Returns whether there may be more.
    func add(_ result: MessageReader.Result) -> Bool {
        var isLast = false
        state.withLock { state in
            switch result {
            case .message(.notification("$/cancelRequest", let parameters)):
                // A request that was handled already stays out of the set, which would otherwise grow.
                if let id = parameters["id"], state.holds(id) { state.cancelled.insert(id) }
                return
            case .end, .broken: isLast = true
            case .message, .invalid: break
            }
            state.results.append(result)
        }
        arrival.signal()
        while state.withLock({ $0.waiting >= Self.capacity }) { room.wait(milliseconds: 100) }
        return !isLast
    }

    /// Returns the next result, or `nil` if none arrives in this time, in milliseconds.
    func next(within milliseconds: Int32) -> MessageReader.Result? {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            if let result = take() { return result }
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0 else { return nil }
            // A signal may be that of a result that was taken already.
            arrival.wait(milliseconds: Int32(left.rounded(.up)))
        }
    }

    /// Returns whether the client has cancelled a request, and forgets it.
    func removeCancellation(of id: JSON) -> Bool { state.withLock { $0.cancelled.remove(id) != nil } }

    private func take() -> MessageReader.Result? {
        let result = state.withLock { state -> MessageReader.Result? in
            guard state.waiting > 0 else { return nil }
            let result = state.results[state.taken]
            state.taken += 1
            if state.waiting == 0 { (state.results, state.taken) = ([], 0) }
            return result
        }
        if result != nil { room.signal() }
        return result
    }
}
