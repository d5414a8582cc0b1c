#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads the port of this side of a socket's connection.
enum LocalPort {
    /// The port; nil for what is no socket of IPv4 or IPv6.
    static func of(_ socket: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let family = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &length) == 0 ? Int32($0.pointee.sa_family) : -1
            }
        }
        // The port is at the same offset in both families' addresses.
        guard family == AF_INET || family == AF_INET6 else { return nil }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int32(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }
}
