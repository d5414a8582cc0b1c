import WaybillPlatform

/// A system call that failed in a test's server.
package struct LoopbackError: Error, CustomStringConvertible {
    let call: String
    let errno: Int32

    /// The name of the call and its `errno`.
    package var description: String { "\(call) failed with errno \(errno)" }
}

/// TCP sockets on 127.0.0.1.
package enum LoopbackSocket {
    /// A port that refuses connections. A socket that does not listen is bound to it as long as the process lives, so that
    /// no other test gets it.
    package static func refusingPort() throws -> Int { try refusing.get() }

    private static let refusing = Result { () throws(LoopbackError) in try bound().port }

    /// A port that was free a moment ago, for programs that cannot choose one themselves. Another process may take it.
    static func freePort() throws -> Int {
        let (descriptor, port) = try bound()
        close(descriptor)
        return port
    }

    /// A port that neither accepts nor refuses connections: the queue of its socket is full as long as the process lives.
    package static func unresponsivePort() throws -> Int { try unresponsive.get() }

    private static let unresponsive = Result { () throws(LoopbackError) in
        let port = try listening(backlog: 0).port
        // A backlog of 0 still accepts one or two.
        for _ in 0..<4 { _ = try connecting(port: port) }
        return port
    }

    /// A socket that listens on a port of the system's choice.
    static func listening(backlog: Int32 = 1024) throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        let (descriptor, port) = try bound()
        guard listen(descriptor, backlog) == 0 else {
            let error = LoopbackError(call: "listen", errno: errno)
            close(descriptor)
            throw error
        }
        return (descriptor, port)
    }

    /// Starts to connect to a port, without waiting for the connection.
    static func connecting(port: Int) throws(LoopbackError) -> Int32 {
        let descriptor = try make()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = withAddress(port: port) { connect(descriptor, $0, $1) }
        return descriptor
    }

    /// Whether a port accepts connections.
    package static func accepts(port: Int) -> Bool {
        guard let descriptor = try? make() else { return false }
        defer { close(descriptor) }
        return withAddress(port: port) { connect(descriptor, $0, $1) } == 0
    }

    /// The type of service (RFC 2474: the DSCP and two more bits) with which this process marks its packets to a port
    /// on 127.0.0.1, one value for each open connection.
    package static func marks(ofConnectionsTo port: Int) -> [Int32] {
        (Int32(0)..<min(getdtablesize(), 1 << 16)).compactMap { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            guard isKnown == 0, Int32(address.sin_family) == AF_INET, Int(UInt16(bigEndian: address.sin_port)) == port
            else { return nil }
            var mark: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, Int32(IPPROTO_IP), Int32(IP_TOS), &mark, &size) == 0 ? mark : nil
        }
    }

    /// Connects to a port, sends nothing, and closes the connection.
    static func touch(port: Int) {
        guard let descriptor = try? make() else { return }
        defer { close(descriptor) }
        _ = withAddress(port: port) { connect(descriptor, $0, $1) }
    }

    private static func bound() throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        let descriptor = try make()
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withAddress(port: 0) { bind(descriptor, $0, $1) } == 0
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard isBound, isKnown == 0 else {
            let error = LoopbackError(call: "bind", errno: errno)
            close(descriptor)
            throw error
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func make() throws(LoopbackError) -> Int32 {
        let descriptor = waybill_open_socket()
        guard descriptor >= 0 else { throw LoopbackError(call: "socket", errno: errno) }
        return descriptor
    }

    private static func withAddress<Result>(
        port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
