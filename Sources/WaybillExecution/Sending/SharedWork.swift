import Synchronization

/// Work that several tasks wait for. It is cancelled when no task waits for it.
final class SharedWork<Value: Sendable>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var value: Value?
        var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
        /// The number of tasks that want the value, including those that do not wait yet.
        var count = 0
        var isAbandoned = false
        var lastNumber = 0
        /// The tickets whose task was cancelled before it started to wait.
        var cancelled: Set<Int> = []
    }

    /// The ticket of one of the waiting tasks.
    struct Ticket: Sendable {
        fileprivate let number: Int
    }

    private let state = Mutex(State())

    /// Work that has not started.
    init() {}

    /// The number of tasks that want the value.
    var waitingCount: Int { state.withLock { $0.count } }

    /// Starts the work.
    func start(_ body: @escaping @Sendable () async -> Value) {
        let task = Task {
            let value = await body()
            let waiting = state.withLock { state in
                state.value = value
                defer { state.waiting = [:] }
                return state.waiting
            }
            for continuation in waiting.values { continuation.resume(returning: value) }
        }
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// Returns a ticket, with which the caller must wait for the value; `nil` if the work was abandoned.
    func join() -> Ticket? {
        state.withLock { state in
            guard !state.isAbandoned else { return nil }
            state.count += 1
            state.lastNumber += 1
            return Ticket(number: state.lastNumber)
        }
    }

    /// Waits for the value; returns `nil` if the waiting task was cancelled in the meantime.
    func value(for ticket: Ticket) async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Value?? in
                    if let value = state.value { return value }
                    if state.cancelled.remove(ticket.number) != nil { return .some(nil) }
                    state.waiting[ticket.number] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let (continuation, task) = state.withLock {
                state -> (CheckedContinuation<Value?, Never>?, Task<Void, Never>?) in
                guard state.value == nil else { return (nil, nil) }
                let continuation = state.waiting.removeValue(forKey: ticket.number)
                if continuation == nil { state.cancelled.insert(ticket.number) }
                state.count -= 1
                state.isAbandoned = state.count == 0
                return (continuation, state.isAbandoned ? state.task : nil)
            }
            continuation?.resume(returning: nil)
            task?.cancel()
        }
    }
}
