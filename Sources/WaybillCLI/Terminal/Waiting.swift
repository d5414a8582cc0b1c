import Dispatch
import Synchronization

/// Does asynchronous work to its end on this thread.
///
/// Commands are synchronous, as signals and the parser of arguments are. The work runs on the main thread, which would
/// otherwise only wait: that saves starting Swift's own threads, which is a twentieth of the time of a run of one request.
func waiting<Value: Sendable, Failure: Error>(
    for work: @escaping @Sendable () async throws(Failure) -> Value
) throws(Failure) -> Value {
    let thread = WaitingThread()
    let outcome = Mutex<Result<Value, Failure>?>(nil)
    Task(executorPreference: thread) {
        do throws(Failure) {
            let value = try await work()
            outcome.withLock { $0 = .success(value) }
        } catch {
            outcome.withLock { $0 = .failure(error) }
        }
    }
    while true {
        if let result = outcome.withLock(\.self) {
            thread.close()
            return try result.get()
        }
        thread.runNext()
    }
}

/// Runs tasks on the thread that calls `runNext`.
private final class WaitingThread: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let count = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAccepted = state.withLock { state in
            if !state.isClosed { state.jobs.append(job) }
            return !state.isClosed
        }
        if isAccepted { count.signal() } else { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Runs the next job, or waits until there is one.
    func runNext() {
        count.wait()
        let job = state.withLock { $0.jobs.removeFirst() }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Passes what is left, and all later jobs, to Swift's own threads.
    func close() {
        let jobs = state.withLock { state in
            state.isClosed = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }
}
