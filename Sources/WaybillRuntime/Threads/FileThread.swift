import Synchronization

/// A separate thread for file operations that may take long, such as waiting for the disk. They must not run on the
/// threads that tasks share.
///
/// Jobs run one at a time, in the order in which they are due. When the last reference is released, the remaining jobs
/// run immediately and the thread ends.
package final class FileThread: Sendable {
    private let queue: Queue

    /// Starts the thread.
    package init() throws(SystemError) {
        let queue = try Queue()
        self.queue = queue
        _ = try SystemThread { while let job = queue.next() { job.work() } }
    }

    deinit {
        queue.stop()
    }

    /// Runs work on the thread after a delay.
    package func submit(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
        queue.add(Queue.Job(due: .now + delay, work: work))
    }

    /// Runs work on the thread and waits for its result without blocking the caller's thread.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}

/// Runs tasks, which may block.
extension FileThread: TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The pending work of a file thread. It waits for a descriptor, so that setting the clock does not affect the wait.
private final class Queue: Sendable {
    struct Job: Sendable {
        var due: ContinuousClock.Instant
        var work: @Sendable () -> Void
    }

    private struct State {
        /// Sorted, with the next one last.
        var jobs: [Job] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    init() throws(SystemError) {
        wakeUp = try WakeUp()
    }

    func add(_ job: Job) {
        state.withLock { state in
            let index = state.jobs.firstIndex { $0.due <= job.due } ?? state.jobs.endIndex
            state.jobs.insert(job, at: index)
        }
        wakeUp.signal()
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        wakeUp.signal()
    }

    /// Waits until the next job is due and returns it; nil if the thread should end.
    func next() -> Job? {
        while true {
            let (job, wait, isDone) = state.withLock { state -> (Job?, Duration?, Bool) in
                guard let next = state.jobs.last else { return (nil, nil, state.isStopping) }
                let wait = ContinuousClock.now.duration(to: next.due)
                return wait <= .zero || state.isStopping ? (state.jobs.removeLast(), nil, false) : (nil, wait, false)
            }
            if job != nil || isDone { return job }
            wakeUp.wait(milliseconds: wait.map { Int32(min($0 / .milliseconds(1), 1e9).rounded(.up)) } ?? -1)
        }
    }
}
