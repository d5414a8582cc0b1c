/// The time limit of the current task. Long computations on outside data ask every few thousand steps whether it is
/// reached, because a task is cancelled too late if the computation occupies the thread that its timer needs.
package enum WorkLimit {
    /// Whether the time of the step that the task executes has passed; `nil` without a limit.
    @TaskLocal private static var hasPassed: (@Sendable () -> Bool)?

    /// Whether the task must stop: it was cancelled, or its time has passed. The result is discarded then.
    package static var isReached: Bool { Task.isCancelled || isDeadlinePassed }

    /// Whether the time of the step that the task executes has passed, so that the step fails in any case.
    package static var isDeadlinePassed: Bool { hasPassed?() == true }

    /// Executes an operation until a time has passed, of which the computations inside learn by `hasPassed`.
    package static func limited<Value: Sendable>(
        _ hasPassed: @escaping @Sendable () -> Bool,
        _ body: @Sendable () async -> Value
    ) async -> Value {
        await $hasPassed.withValue(hasPassed) { await body() }
    }
}
