import Synchronization
import WaybillRuntime

/// Runs tasks where requests are sent from.
///
/// While few transfers are in flight, that is the engine's thread, between its work on them: passing a request to
/// another thread and back costs more than a small request itself. While many are in flight, it is a second thread: two
/// processors do more than one, and passing several responses at once costs little.
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
