#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A port on 127.0.0.1 that neither accepts nor refuses: its queue of connections is full.
package final class UnresponsivePort: Sendable {
    /// The port that the system chose.
    package let port: Int

    private let descriptors: [Int32]

    /// Opens the port and fills its queue.
    package init() throws {
        let listener = try LoopbackSocket.listening(backlog: 0)
        port = listener.port
        var descriptors = [listener.descriptor]
        // A backlog of 0 still holds one or two.
        for _ in 0..<4 { descriptors.append(try LoopbackSocket.connecting(port: port)) }
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
