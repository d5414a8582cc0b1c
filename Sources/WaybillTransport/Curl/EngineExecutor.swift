/// Runs tasks on the engine's thread, between its transfers. A task that sends a request from there hands nothing over to
/// another thread and back, which costs more than a small request itself.
///
/// The thread must not be held up: a task that computes for long does that elsewhere, and no task may block.
final class EngineExecutor: TaskExecutor {
    private let commands: CommandQueue

    /// An executor for the engine that takes these commands.
    init(_ commands: CommandQueue) {
        self.commands = commands
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // What is left to do after the engine's end is done by Swift's own threads.
        if !commands.add(.run(job)) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }
}
