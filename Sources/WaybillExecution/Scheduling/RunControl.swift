import Synchronization

/// What a run is told from outside while it is under way: by signals, by whoever uses the library.
package final class RunControl: Sendable {
    private struct State {
        var isStopping = false
        var isCancelled = false
        var unstoppable: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    /// A run that has been told nothing.
    package init() {}

    /// Whether nothing new may begin.
    package var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Lets nothing new begin.
    package func stop() { state.withLock { $0.isStopping = true } }

    /// Ends also what cancelling the run's task leaves alone: the steps of `finally`.
    package func cancelAll() {
        let cancellations = state.withLock { state in
            state.isStopping = true
            state.isCancelled = true
            return Array(state.unstoppable.values)
        }
        for cancel in cancellations { cancel() }
    }

    /// Does something that goes on when the task that waits for it is cancelled, and that only `cancelAll` ends.
    func unstoppable<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task(operation: body)
        let number = state.withLock { state in
            state.nextNumber += 1
            state.unstoppable[state.nextNumber] = { task.cancel() }
            if state.isCancelled { task.cancel() }
            return state.nextNumber
        }
        defer { state.withLock { $0.unstoppable[number] = nil } }
        return await task.value
    }
}
