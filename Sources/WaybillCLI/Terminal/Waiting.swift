import Dispatch
import Synchronization

/// Does asynchronous work to its end on this thread, which otherwise waits.
///
/// All commands run on the main thread. Where the beginning of a program is itself asynchronous, the main thread ends at the
/// first wait, and others are started for what comes before and after: that takes longer than a small request.
func waiting<Value: Sendable, Failure: Error>(
    for work: @escaping @Sendable () async throws(Failure) -> Value
) throws(Failure) -> Value {
    let thread = WaitingThread()
    let outcome = Outcome<Value, Failure>()
    Task(executorPreference: thread) {
        do throws(Failure) {
            let value = try await work()
            outcome.result.withLock { $0 = .success(value) }
        } catch {
            outcome.result.withLock { $0 = .failure(error) }
        }
    }
    while true {
        if let result = outcome.result.withLock(\.self) { return try result.get() }
        thread.runNext()
    }
}

/// What the work gives.
private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    let result = Mutex<Result<Value, Failure>?>(nil)
}

/// Runs pieces of tasks on the thread that waits for them.
private final class WaitingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let count = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        count.signal()
    }

    /// Waits for a piece and runs it.
    func runNext() {
        count.wait()
        jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
    }
}
