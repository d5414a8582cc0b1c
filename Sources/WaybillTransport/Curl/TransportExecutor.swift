import Synchronization
import WaybillRuntime

/// Runs tasks where requests are sent from.
///
/// As long as few transfers are under way that is the engine's thread, between them: a task that sends a request from
/// there hands nothing over to another thread and back, which costs more than a small request itself. When they are many
/// it is a thread beside it: two processors do more than one, and as several responses go over at once handing over costs
/// little.
///
/// Neither thread must be held up: a task that computes for long does that elsewhere, and no task may block.
final class TransportExecutor: TaskExecutor {
    /// How many transfers are many.
    private static let many = 8

    private let commands: CommandQueue
    // Nil when the system has no descriptor for it: then all is done on the engine's thread.
    private let jobs = try? Mailbox<UnownedJob>()
    private let isBusy = Atomic(false)
    private let thread = Mutex<SystemThread<Void>?>(nil)

    /// An executor for the engine that takes these commands.
    init(_ commands: CommandQueue) {
        self.commands = commands
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isBusy.load(ordering: .relaxed), let jobs, jobs.add(job) { return }
        // What is left to do after the engine's end is done by Swift's own threads.
        if !commands.add(.run(job)) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Notes how many transfers are under way or have just ended. For the engine.
    func note(transfers count: Int) {
        guard let jobs, (count >= Self.many) != isBusy.load(ordering: .relaxed) else { return }
        isBusy.store(count >= Self.many && hasThread(for: jobs), ordering: .relaxed)
    }

    private func hasThread(for jobs: Mailbox<UnownedJob>) -> Bool {
        thread.withLock { thread in
            // Without one the engine's has to do.
            thread = thread ?? (try? SystemThread { [self] in carryOut(jobs) })
            return thread != nil
        }
    }

    private func carryOut(_ jobs: Mailbox<UnownedJob>) {
        var batch: [UnownedJob] = []
        while jobs.takeAll(into: &batch) || !batch.isEmpty {
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
            batch.removeAll(keepingCapacity: true)
            if !BusyWait.look(for: { !jobs.isEmpty }) { jobs.wait() }
        }
    }

    /// Takes no tasks any more: those that have not ended go on with Swift's own threads. For the engine, at its end.
    func close() {
        jobs?.close()
    }

    /// Returns when its thread is gone.
    func join() async {
        await thread.withLock { $0 }?.join()
    }
}
