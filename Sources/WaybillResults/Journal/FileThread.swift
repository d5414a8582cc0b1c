import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread of its own for work on files that may take long, such as waiting for the disk: it has no place on the
/// threads that tasks share.
///
/// Work is done one piece at a time, in the order in which it falls due. When the last owner lets go, what is left is
/// done at once and the thread ends.
final class FileThread: Sendable {
    private let queue: Queue

    /// Starts the thread.
    init() throws(ResultsError) {
        queue = try Queue()
        try Self.start(queue)
    }

    deinit {
        queue.stop()
    }

    /// Has something done after a while.
    func submit(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
        queue.add(Queue.Job(due: .now + delay, work: work))
    }

    /// Does something on the thread and waits for it without holding the caller's.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ResultsError) -> Value
    ) async throws(ResultsError) -> Value {
        let result = await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }

    private static func start(_ queue: Queue) throws(ResultsError) {
        let argument = Unmanaged.passRetained(queue)
        #if canImport(Glibc)
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { FileThread.main($0!) }, argument.toOpaque())
        #else
            var thread: pthread_t?
            let code = pthread_create(&thread, nil, { FileThread.main($0) }, argument.toOpaque())
        #endif
        guard code == 0, let thread = Optional(thread) else {
            argument.release()
            throw ResultsError(path: "", "cannot start a thread for files: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
    }

    private static func main(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let queue = Unmanaged<Queue>.fromOpaque(argument).takeRetainedValue()
        while let job = queue.next() { job.work() }
        return nil
    }
}

/// What a file thread has still to do. It waits at a pipe, so that a clock that is set does not change how long.
private final class Queue: Sendable {
    struct Job: Sendable {
        var due: ContinuousClock.Instant
        var work: @Sendable () -> Void
    }

    private struct State {
        /// The next one last.
        var jobs: [Job] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let wakeReader: Int32
    private let wakeWriter: Int32

    init() throws(ResultsError) {
        var ends: [Int32] = [-1, -1]
        let code = pipe(&ends)
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        if code != 0 {
            throw ResultsError(path: "", "cannot start a thread for files: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        if wakeReader >= 0 { close(wakeReader) }
        if wakeWriter >= 0 { close(wakeWriter) }
    }

    func add(_ job: Job) {
        state.withLock { state in
            let place = state.jobs.firstIndex { $0.due <= job.due } ?? state.jobs.endIndex
            state.jobs.insert(job, at: place)
        }
        wake()
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Waits for the next job to fall due; `nil` when the thread is to end.
    func next() -> Job? {
        while true {
            let (job, wait, isDone) = state.withLock { state -> (Job?, Duration?, Bool) in
                guard let next = state.jobs.last else { return (nil, nil, state.isStopping) }
                let wait = ContinuousClock.now.duration(to: next.due)
                return wait <= .zero || state.isStopping ? (state.jobs.removeLast(), nil, false) : (nil, wait, false)
            }
            if job != nil || isDone { return job }
            pause(wait)
        }
    }

    private func wake() {
        // A full pipe wakes the thread as well.
        var byte: UInt8 = 0
        _ = write(wakeWriter, &byte, 1)
    }

    private func pause(_ duration: Duration?) {
        var request = pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)
        let milliseconds = duration.map { Int32(min($0 / .milliseconds(1), 1e9).rounded(.up)) } ?? -1
        guard poll(&request, 1, milliseconds) > 0 else { return }
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = withUnsafeMutableBytes(of: &bytes) { read(wakeReader, $0.baseAddress, $0.count) }
    }
}
