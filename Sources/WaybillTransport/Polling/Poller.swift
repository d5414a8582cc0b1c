import WaybillRuntime

/// What a thread waits for on a file descriptor.
struct Readiness: OptionSet, Sendable {
    let rawValue: UInt8

    /// There is something to read, or an error or the other side ended the stream.
    static let readable = Readiness(rawValue: 1)
    /// There is room to write.
    static let writable = Readiness(rawValue: 2)
}

/// A descriptor and what it is ready for.
struct ReadyDescriptor: Equatable {
    let descriptor: Int32
    let readiness: Readiness
}

/// Waits for file descriptors, on one thread.
protocol Poller: AnyObject {
    /// Makes a poller; throws the error of the system.
    init() throws(SystemError)

    /// Waits from now on for this on a descriptor; the empty set ends it, and must come before the descriptor is closed
    /// or at the latest before its number is used again.
    func watch(_ descriptor: Int32, for interest: Readiness)

    /// Waits until something is ready, at most this many milliseconds (-1: without end), and tells what is ready, which
    /// may change meanwhile what is watched. A signal may end the waiting early, with nothing.
    func wait(milliseconds: Int32, _ tell: (ReadyDescriptor) -> Void)
}

#if canImport(Glibc)
    typealias SystemPoller = EpollPoller
#else
    typealias SystemPoller = PollPoller
#endif
