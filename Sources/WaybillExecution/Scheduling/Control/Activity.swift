import Synchronization

/// A part of the run that can be cancelled by itself, without what runs beside it. It has its task for itself: whatever is
/// left to do in the task after it is cancelled too.
final class Activity: Sendable {
    /// The task that runs it.
    ///
    /// The standard library lets `cancel` be called from any task while the closure runs that got the value; the lock
    /// below sees to it that it is not called later.
    private struct Handle: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private struct State {
        var handle: Handle?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Runs it in the task at hand; one that was cancelled before begins cancelled.
    func run<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        await withUnsafeCurrentTask { task in
            guard let task else { preconditionFailure("what is asynchronous runs in a task") }
            state.withLock { state in
                state.handle = Handle(task: task)
                if state.isCancelled { task.cancel() }
            }
            defer { state.withLock { $0.handle = nil } }
            return await body()
        }
    }

    /// Whether it was cancelled by itself, not with the task around it.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels it, now or as soon as it begins.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.handle?.task.cancel()
        }
    }
}
