import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread of a transport.
final class TransportThread: Sendable {
    private let end = ThreadEnd()
    // Nil once it has been joined or detached, which may happen once.
    private let handle: Mutex<pthread_t?>

    /// Starts a thread that does this, and then says what it found.
    init(_ work: sending @escaping () -> [String]) throws(TransportSetUpError) {
        let body = Unmanaged.passRetained(ThreadBody(work: work, end: end))
        // The reference goes over to the thread; the work with it, of which `sending` says that nobody else has it.
        let argument = body.toOpaque()
        #if canImport(Glibc)
            var created = pthread_t()
            let code = pthread_create(&created, nil, { ThreadBody.run($0) }, argument)
        #else
            var created: pthread_t?
            let code = pthread_create(&created, nil, { ThreadBody.run($0) }, argument)
        #endif
        guard code == 0 else {
            body.release()
            handle = Mutex(nil)
            throw TransportSetUpError(reason: "cannot start a thread: \(SystemError(code))")
        }
        handle = Mutex(created)
    }

    /// Waits until the work is done and its thread gone.
    func join() async {
        await end.wait()
        // The thread has nothing left to do: this does not block for longer than its exit takes.
        if let thread = take() { pthread_join(thread, nil) }
    }

    /// What was found at the end; nothing before.
    var findings: [String] { end.findings }

    deinit {
        // It ends on its own.
        if let thread = take() { pthread_detach(thread) }
    }

    private func take() -> pthread_t? {
        handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
    }
}

/// What a thread does. Made by one thread, used by the other.
private final class ThreadBody {
    private var work: (() -> [String])?
    private let end: ThreadEnd

    init(work: @escaping () -> [String], end: ThreadEnd) {
        self.work = work
        self.end = end
    }

    static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // Takes over the reference that `EngineThread.init` made.
        let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
        var all = sigset_t()
        sigfillset(&all)
        // The program's signals are for its other threads, and a write to a closed connection must not end the program:
        // libcurl leaves SIGPIPE alone, and OpenSSL does not ask for its absence. Threads of libcurl's inherit the mask.
        pthread_sigmask(SIG_BLOCK, &all, nil)
        let findings = body.work?() ?? []
        // What it holds is let go of before anybody hears of the end.
        body.work = nil
        body.end.announce(findings)
        return nil
    }
}

/// Tells tasks that a thread has ended.
private final class ThreadEnd: Sendable {
    private struct State {
        var hasEnded = false
        var findings: [String] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Returns when `announce` has been called.
    func wait() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiting.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// What was announced.
    var findings: [String] { state.withLock { $0.findings } }

    /// Lets everyone who waits go on.
    func announce(_ findings: [String]) {
        let waiting = state.withLock { state in
            state.hasEnded = true
            state.findings = findings
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
