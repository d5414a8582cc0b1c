import Synchronization
import WaybillRuntime

/// Work that several tasks wait for. It is cancelled when no task waits for it.
final class SharedWork<Value: Sendable>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var value: Value?
        /// The tasks that want the value, including those that do not wait yet.
        var waiting: [ObjectIdentifier: Ticket] = [:]
        var isAbandoned = false
    }

    /// The ticket of one of the waiting tasks.
    typealias Ticket = Awaited<Value?>

    /// The ticket of the task that creates the work.
    let firstTicket: Ticket
    private let state: Mutex<State>

    /// Work that has not started.
    init() {
        firstTicket = Ticket()
        state = Mutex(State(waiting: [ObjectIdentifier(firstTicket): firstTicket]))
    }

    /// The number of tasks that want the value.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func start(_ body: @escaping @Sendable () async -> Value) {
        let task = Task {
            let value = await body()
            let waiting = state.withLock { state in
                state.value = value
                defer { state.waiting = [:] }
                return state.waiting
            }
            for ticket in waiting.values { ticket.set(value) }
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
            let ticket = Ticket()
            if let value = state.value {
                ticket.set(value)
            } else {
                state.waiting[ObjectIdentifier(ticket)] = ticket
            }
            return ticket
        }
    }

    /// Waits for the value; returns `nil` if the waiting task was cancelled in the meantime.
    func value(for ticket: Ticket) async -> Value? {
        await ticket.value {
            let task = state.withLock { state -> Task<Void, Never>? in
                state.waiting[ObjectIdentifier(ticket)] = nil
                state.isAbandoned = state.value == nil && state.waiting.isEmpty
                return state.isAbandoned ? state.task : nil
            }
            ticket.set(nil)
            task?.cancel()
        }
    }
}
