import Dispatch
import Synchronization

/// Runs asynchronous work on this thread, and returns when it is done.
///
/// Commands are synchronous, like signals and the argument parser. The work runs on the main thread, which would
/// otherwise only wait. This saves starting Swift's own threads, which takes a twentieth of the time of a run of one
/// request.
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
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Passes the remaining jobs, and all later ones, to Swift's own threads.
    func close() {
        let jobs = state.withLock { state in
            state.isClosed = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }
}
