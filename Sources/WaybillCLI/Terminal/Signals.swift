import Synchronization
import WaybillPlatform
import WaybillRuntime

/// The handling of signals. The first Ctrl-C (SIGINT), SIGTERM or SIGHUP asks the running work to stop, the second one
/// cancels it, and the third one ends the program, as does the first one if there is nothing to stop. SIGUSR1 pauses a
/// run, and SIGUSR2 continues it. SIGQUIT (Ctrl-\) and the signals of a crash end the program as usual.
///
/// The handler only writes the signal's number to a pipe, because little else is safe in a handler; a thread reads the
/// pipe.
enum Signals {
    private struct State {
        var received: Int32?
        var stopCount = 0
        var stops: [@Sendable () -> Void] = []
        /// Whether SIGUSR1 arrived after the last SIGUSR2, possibly before there was a run.
        var isPaused = false
        var pause: (@Sendable () -> Void)?
        var unpause: (@Sendable () -> Void)?
    }

    private static let state = Mutex(State())
    private static let pipeEnd = Atomic<Int32>(-1)

    /// The first signal that asked for a stop, if any.
    static var received: Int32? { state.withLock { $0.received } }

    /// The number of signals that asked for a stop.
    static var stopCount: Int { state.withLock { $0.stopCount } }

    /// Keeps SIGUSR1 and SIGUSR2, which end a program by default, until `beginListening` has set their handlers. Call this
    /// before anything else.
    static func holdPauses() {
        mask(SIG_BLOCK, [SIGUSR1, SIGUSR2])
    }

    /// Starts listening. Call this once, at the start of the program.
    static func beginListening() {
        // A full disk, an exceeded file-size limit and a closed pipe are write errors; they must not end the program.
        let isHangUpIgnored = waybill_is_ignored(SIGHUP)
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        // Swift's runtime would print a backtrace, which shows memory and thus secrets, and after a signal sent by
        // another process the program would continue.
        for number in crashes where !waybill_is_ignored(number) { signal(number, SIG_DFL) }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipeEnd.store(ends[1], ordering: .relaxed)
        for number in handled { listen(to: number) }
        // A parent that ignores a closed terminal, such as nohup, wants the program to ignore it too.
        if isHangUpIgnored { signal(SIGHUP, SIG_IGN) }
        // The thread starts last, because it unblocks signals.
        let end = ends[0]
        _ = try? SystemThread { listen(end) }
    }

    /// Sets the functions that the next signals to stop call, one for each signal, on the listening thread.
    static func onStop(_ stops: (@Sendable () -> Void)...) {
        state.withLock { $0.stops = stops }
    }

    /// Sets the functions that SIGUSR1 and SIGUSR2 call, on the listening thread. Calls `pause` now if SIGUSR1 has
    /// already arrived.
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

    /// Blocks or unblocks signals in this thread.
    private static func mask(_ action: Int32, _ numbers: [Int32]) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(action, &signals, nil)
    }

    private static func listen(to number: Int32) {
        signal(number) { number in
            let before = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = unsafe write(Signals.pipeEnd.load(ordering: .relaxed), &byte, 1)
            errno = before
        }
    }

    private static func listen(_ end: Int32) {
        // The parent process may have blocked signals, and a program inherits that.
        mask(SIG_UNBLOCK, handled + crashes)
        while true {
            var byte: UInt8 = 0
            let count = unsafe read(end, &byte, 1)
            if count == 1 { take(Int32(byte)) } else if count == 0 || errno != EINTR { return }
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
                state.stopCount += 1
                return state.stops.isEmpty ? nil : state.stops.removeFirst()
            }
            guard let stop else { _exit(128 + number) }
            stop()
        }
    }
}
