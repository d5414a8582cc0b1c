import CLibCurl
import CPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Finds the sockets of connections, to mark their packets by the DSCP (RFC 2474), and to see whether something has
/// come. Used only on the engine's thread.
///
/// libcurl shows a socket when it makes it, and says before each request from which port its connection goes; which
/// socket that is must be looked for, since a connection may have been made for another request with another mark.
final class SocketMarks {
    /// Whether libcurl may let two transfers share a connection of HTTP/1.1.
    var mayBeShared = false

    // libcurl does not say when it closes one: what is no socket of a connection any more is dropped when it is found.
    private var sockets: Set<curl_socket_t> = []
    // The socket that was found for a port.
    private var found: [Int32: curl_socket_t] = [:]
    // Without any mark so far, all sockets are as the system made them.
    private var isInUse = false

    /// Takes note of a new socket.
    func add(_ socket: curl_socket_t) {
        sockets.insert(socket)
    }

    /// Marks the connection from a port. That packets are marked is a wish: a system that does not let it be is not a
    /// failure.
    func mark(connectionFromPort localPort: Int32, as traffic: TransferOptions.Traffic) {
        guard isInUse || traffic != .default else { return }
        isInUse = true
        sockets = sockets.filter { socket in
            guard let port = LocalPort.of(socket) else { return false }
            if port == localPort { Self.mark(socket, as: traffic) }
            return true
        }
    }

    /// Whether bytes have come on the connection from a port that nobody has read.
    func hasUnreadBytes(connectionFromPort localPort: Int32) -> Bool {
        guard let socket = socket(ofConnectionFromPort: localPort) else { return false }
        return waybill_unread_bytes(socket) > 0
    }

    private func socket(ofConnectionFromPort localPort: Int32) -> curl_socket_t? {
        guard localPort > 0 else { return nil }
        if let socket = found[localPort], LocalPort.of(socket) == localPort { return socket }
        found[localPort] = nil
        if found.count >= sockets.count { found.removeAll(keepingCapacity: true) }
        let socket = sockets.first { LocalPort.of($0) == localPort }
        found[localPort] = socket
        return socket
    }

    private static func mark(_ socket: curl_socket_t, as traffic: TransferOptions.Traffic) {
        // The two bits below are for congestion.
        var value = traffic.codePoint << 2
        let size = socklen_t(MemoryLayout<Int32>.size)
        // One of them fits the socket's family; IPv4 addresses in an IPv6 socket have the first.
        setsockopt(socket, Int32(IPPROTO_IP), Int32(IP_TOS), &value, size)
        setsockopt(socket, Int32(IPPROTO_IPV6), Int32(IPV6_TCLASS), &value, size)
    }
}
