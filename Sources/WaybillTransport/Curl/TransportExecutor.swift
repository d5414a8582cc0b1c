import Synchronization
import WaybillRuntime

/// Runs tasks that send requests on the engine's thread or next to it.
///
/// While few transfers are in flight, tasks run on the engine's thread, between its work on the transfers: passing a
/// request to another thread and back costs more than a small request itself. While many are in flight, tasks run on a
/// second thread: two processors do more than one, and passing several responses at once costs little. (Without it, a
/// `forEach` of 30,000 small GETs, 32 at once, takes 2.3 s instead of 1.5 s with two cores and nginx beside it.)
///
/// Neither thread must be delayed: long computations belong on another executor, and no task may block.
final class TransportExecutor: TaskExecutor {
    /// The number of transfers in flight from which on the second thread is used.
    private static let many = 8

    private let commands: CommandQueue
    // Nil if the system has no descriptor for it: then all tasks run on the engine's thread.
    private let jobs = try? Mailbox<UnownedJob>()
    private let isBusy = Atomic(false)
    private let thread = Mutex<SystemThread<Void>?>(nil)

    /// Creates an executor for the engine that executes these commands.
    init(_ commands: CommandQueue) {
        self.commands = commands
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isBusy.load(ordering: .relaxed), let jobs, jobs.add(job) { return }
        // Jobs that are left after the engine has ended run on Swift's own threads.
        if !commands.add(.run(job)) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Records how many transfers are in flight or have just ended. Called by the engine.
    func note(transfers count: Int) {
        guard let jobs, (count >= Self.many) != isBusy.load(ordering: .relaxed) else { return }
        isBusy.store(count >= Self.many && hasThread(for: jobs), ordering: .relaxed)
    }

    private func hasThread(for jobs: Mailbox<UnownedJob>) -> Bool {
        thread.withLock { thread in
            // If it cannot be started, the engine's thread is used.
            thread = thread ?? (try? SystemThread { [self] in execute(jobs) })
            return thread != nil
        }
    }

    private func execute(_ jobs: Mailbox<UnownedJob>) {
        var batch: [UnownedJob] = []
        while jobs.takeAll(into: &batch) || !batch.isEmpty {
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
            batch.removeAll(keepingCapacity: true)
            jobs.wait()
        }
    }

    /// Stops accepting jobs. Tasks that have not ended continue on Swift's own threads. Called by the engine when it
    /// ends.
    func close() {
        jobs?.close()
    }

    /// Waits until the executor's thread has ended.
    func join() async {
        await thread.withLock { $0 }?.join()
    }
}
