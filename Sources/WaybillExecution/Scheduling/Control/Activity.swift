import Synchronization

/// A part of the run that can be cancelled by itself, without its siblings. Nothing else may run in its task, because
/// it would be cancelled too.
final class Activity: Sendable {
    /// The task that runs it.
    ///
    /// The standard library allows calls of `cancel` from any task while the closure that received the value is
    /// running. The lock below ensures that there are none after that.
    @safe private struct Handle: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private struct State {
        var handle: Handle?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Runs it in the current task. If it was cancelled before, it starts cancelled.
    func run<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        await unsafe withUnsafeCurrentTask { task in
            guard let task = unsafe task else { preconditionFailure("asynchronous code has no current task") }
            state.withLock { state in
                state.handle = unsafe Handle(task: task)
                if state.isCancelled { unsafe task.cancel() }
            }
            defer { state.withLock { $0.handle = nil } }
            return await body()
        }
    }

    /// Whether it was cancelled by itself, not with the task around it.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels it, now or as soon as it starts.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            unsafe state.handle?.task.cancel()
        }
    }
}
