import Synchronization
import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Ctrl-C, SIGTERM and SIGHUP ask what is going on to stop, the second time to stop at once; the third time, and where nothing is
/// going on that could stop, they end the program. SIGUSR1 and SIGUSR2 hold a run up and let it go on. SIGQUIT (Ctrl-\) and the
/// signals of a crash end the program as they usually do.
///
/// The handler does no more than write the signal's number to a pipe (what else may a handler do?); a thread reads it.
enum Signals {
    private struct State {
        var received: Int32?
        var stops: [@Sendable () -> Void] = []
        /// Whether SIGUSR1 came last of the two, perhaps before there was a run.
        var isPaused = false
        var pause: (@Sendable () -> Void)?
        var unpause: (@Sendable () -> Void)?
    }

    private static let state = Mutex(State())
    private static let pipeEnd = Atomic<Int32>(-1)

    /// The signal that asked for a stop, if any did.
    static var received: Int32? { state.withLock { $0.received } }

    /// Begins to listen. To be called once, at the beginning of the program.
    static func beginListening() {
        // A full disk, a file-size limit and a reader that is gone are errors of a write, not the end of the program.
        let isHangUpIgnored = isIgnored(SIGHUP)
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        // Swift's runtime prints a backtrace instead, and after a signal that somebody sent the program would go on. A backtrace
        // also shows memory, where secrets are.
        for number in crashes where !isIgnored(number) { signal(number, SIG_DFL) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipeEnd.store(ends[1], ordering: .relaxed)
        for number in handled { listen(to: number) }
        // What ignores a closed terminal, such as nohup, wants the program to do so.
        if isHangUpIgnored { signal(SIGHUP, SIG_IGN) }
        // Only now: the thread lets signals through that were held back.
        let end = ends[0]
        _ = try? SystemThread { listen(end) }
    }

    /// From now on the first signal to stop calls the first of these, the next one the next, on the thread that listens.
    static func onStop(_ stops: (@Sendable () -> Void)...) {
        state.withLock { $0.stops = stops }
    }

    /// From now on SIGUSR1 and SIGUSR2 call these, on the thread that listens.
    static func onPause(_ pause: @escaping @Sendable () -> Void, unpause: @escaping @Sendable () -> Void) {
        let isPaused = state.withLock { state in
            state.pause = pause
            state.unpause = unpause
            return state.isPaused
        }
        if isPaused { pause() }
    }

    /// The signals that the program handles.
    private static let handled = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    /// The signals that Swift's runtime handles.
    private static let crashes = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Whether the program was started with a signal ignored.
    private static func isIgnored(_ number: Int32) -> Bool {
        let before = signal(number, SIG_IGN)
        signal(number, before)
        return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func listen(to number: Int32) {
        signal(number) { number in
            let before = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(Signals.pipeEnd.load(ordering: .relaxed), &byte, 1)
            errno = before
        }
    }

    private static func listen(_ end: Int32) {
        // Who started the program may have held signals back, and a program takes that over.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in handled + crashes { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        while true {
            var byte: UInt8 = 0
            guard read(end, &byte, 1) == 1 else { continue }
            take(Int32(byte))
        }
    }

    private static func take(_ number: Int32) {
        switch number {
        case SIGUSR1, SIGUSR2:
            let change = state.withLock { state in
                state.isPaused = number == SIGUSR1
                return state.isPaused ? state.pause : state.unpause
            }
            change?()
        default:
            let stop = state.withLock { state -> (@Sendable () -> Void)? in
                state.received = state.received ?? number
                return state.stops.isEmpty ? nil : state.stops.removeFirst()
            }
            guard let stop else { _exit(128 + number) }
            stop()
        }
    }
}
