import CLibCurl
import WaybillPlatform
import WaybillRuntime

/// Finds the sockets of connections, to mark their packets with a DSCP (RFC 2474) and to check for unread bytes. Used
/// only on the engine's thread.
///
/// libcurl passes a socket when it creates it, and before each request the local port of its connection. The socket has
/// to be found by that port, because the connection may have been created for another request with another mark.
final class SocketMarks {
    /// Whether libcurl may let two transfers share a connection of HTTP/1.1.
    var mayBeShared = false

    /// Whether a connection was made that one request at a time can use, although others may wait to share it.
    var hasUnsharedConnection = false

    // libcurl does not report when it closes a socket: a descriptor that is no longer a connected socket is removed
    // when it is found.
    private var sockets: Set<curl_socket_t> = []
    // The socket that was found for a port.
    private var found: [Int32: curl_socket_t] = [:]
    // Whether any mark has been set. Until then, all sockets have the system's default.
    private var isInUse = false

    /// Records a new socket.
    func add(_ socket: curl_socket_t) {
        sockets.insert(socket)
    }

    /// Marks the packets of the connection from a local port. It is not a failure if the system does not allow this.
    func mark(connectionFromPort localPort: Int32, as traffic: TrafficClass) {
        guard isInUse || traffic != .default else { return }
        isInUse = true
        sockets = sockets.filter { socket in
            guard let port = LocalPort.of(socket) else { return false }
            if port == localPort { Self.mark(socket, as: traffic) }
            return true
        }
    }

    /// Whether the connection from a local port has received bytes that have not been read.
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

    private static func mark(_ socket: curl_socket_t, as traffic: TrafficClass) {
        // The two lowest bits are for congestion notification.
        var value = traffic.codePoint << 2
        let size = socklen_t(MemoryLayout<Int32>.size)
        // One of them matches the socket's family; IPv4 addresses on an IPv6 socket use the first.
        setsockopt(socket, Int32(IPPROTO_IP), Int32(IP_TOS), &value, size)
        setsockopt(socket, Int32(IPPROTO_IPV6), Int32(IPV6_TCLASS), &value, size)
    }
}
