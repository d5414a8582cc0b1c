import DequeModule
import Synchronization

/// Lets at most so many requests be under way at once; the rest wait in the order in which they came.
final class RequestLimiter: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<(ticket: Int, continuation: CheckedContinuation<Bool, Never>)> = []
        var nextTicket = 0
        /// Tickets whose task was cancelled before it came to wait.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    /// A limiter with so many places.
    init(limit: Int) {
        state = Mutex(State(free: limit))
    }

    /// Waits for a place, which has to be given back; `false` when the task was cancelled meanwhile.
    func acquire() async -> Bool {
        let ticket = state.withLock { state -> Int? in
            if state.free > 0, state.waiting.isEmpty {
                state.free -= 1
                return nil
            }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.cancelled.remove(ticket) != nil { return false }
                    if state.free > 0, state.waiting.isEmpty {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                    state.cancelled.insert(ticket)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            continuation?.resume(returning: false)
        }
    }

    /// Gives a place back.
    func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if let next = state.waiting.popFirst() { return next.continuation }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
