import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The thread that an engine runs on.
final class EngineThread: Sendable {
    private let end = ThreadEnd()
    // Nil once it has been joined or detached, which may happen once.
    private let handle: Mutex<pthread_t?>

    /// Starts a thread that runs the engine to its end.
    init(_ engine: sending TransferEngine) throws(TransportSetUpError) {
        let body = Unmanaged.passRetained(ThreadBody(engine: engine, end: end))
        // The reference goes over to the thread; the engine with it, of which `sending` says that nobody else has it.
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

    /// Waits until the engine has ended and is gone.
    func join() async {
        await end.wait()
        // The thread has nothing left to do: this does not block for longer than its exit takes.
        if let thread = take() { pthread_join(thread, nil) }
    }

    /// What the engine found at its end; nothing before.
    var findings: [String] { end.findings }

    /// Lets the thread end on its own.
    func detach() {
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
    private var engine: TransferEngine?
    private let end: ThreadEnd

    init(engine: TransferEngine, end: ThreadEnd) {
        self.engine = engine
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
        let findings = body.engine?.run() ?? []
        body.engine = nil
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
