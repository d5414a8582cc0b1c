import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Ctrl-C and SIGTERM: the first asks what is going on to stop, the second ends the program at once, and so does the
/// first where nothing is going on that could stop.
///
/// The handler does no more than write the signal's number to a pipe (what else may a handler do?); a thread reads it.
enum StopSignals {
    private struct State {
        var received: Int32?
        var stop: (@Sendable () -> Void)?
    }

    private static let state = Mutex(State())
    private static let pipeEnd = Atomic<Int32>(-1)

    /// The signal that asked for a stop, if any did.
    static var received: Int32? { state.withLock { $0.received } }

    /// Begins to listen. To be called once, at the beginning of the program.
    static func beginListening() {
        // A full disk, a file-size limit and a reader that is gone are errors of a write, not the end of the program.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipeEnd.store(ends[1], ordering: .relaxed)
        startThread(reading: ends[0])
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(StopSignals.pipeEnd.load(ordering: .relaxed), &byte, 1)
                errno = before
            }
        }
    }

    /// From now on the first signal calls `stop`, on the thread that listens.
    static func onFirst(_ stop: @escaping @Sendable () -> Void) {
        state.withLock { $0.stop = stop }
    }

    private static func startThread(reading end: Int32) {
        let context = UnsafeMutableRawPointer(bitPattern: Int(end))
        #if canImport(Glibc)
            var thread = pthread_t()
            pthread_create(&thread, nil, { StopSignals.listen(Int32(Int(bitPattern: $0))) }, context)
            pthread_detach(thread)
        #else
            var thread: pthread_t?
            pthread_create(&thread, nil, { StopSignals.listen(Int32(Int(bitPattern: $0))) }, context)
            thread.map { _ = pthread_detach($0) }
        #endif
    }

    private static func listen(_ end: Int32) -> UnsafeMutableRawPointer? {
        while true {
            var byte: UInt8 = 0
            guard read(end, &byte, 1) == 1 else { continue }
            let number = Int32(byte)
            let stop = state.withLock { state -> (@Sendable () -> Void)? in
                guard state.received == nil else { return nil }
                state.received = number
                return state.stop
            }
            guard let stop else { _exit(128 + number) }
            stop()
        }
    }
}
