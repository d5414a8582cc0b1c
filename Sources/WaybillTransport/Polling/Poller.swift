import WaybillRuntime

/// What a thread waits for on a file descriptor.
struct Readiness: OptionSet, Sendable {
    let rawValue: UInt8

    /// There is something to read, or the stream was ended by an error or by the peer.
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
    /// Creates a poller; throws the system's error.
    init() throws(SystemError)

    /// Sets what to wait for on a descriptor from now on. The empty set stops watching it, and must be set before the
    /// descriptor is closed or at the latest before its number is reused.
    func watch(_ descriptor: Int32, for interest: Readiness)

    /// Waits until something is ready, at most this many milliseconds (-1: no limit), and reports each ready descriptor
    /// to `tell`, which may change what is watched. A signal may end the wait early, with nothing ready.
    func wait(milliseconds: Int32, _ tell: (ReadyDescriptor) -> Void)
}
