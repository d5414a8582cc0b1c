import WaybillPlatform
import WaybillRuntime

/// A client that uses a socket directly and does not interpret HTTP.
enum RawConnection {
    /// Sends a string to a port of 127.0.0.1 and returns what it receives until the other side closes or is silent for
    /// two minutes: on a loaded machine, the server's tasks wait for all other tests.
    static func exchange(_ text: String, port: Int) async -> String {
        await BlockingCall.run { blockingExchange(text, port: port) } ?? "no thread"
    }

    private static func blockingExchange(_ text: String, port: Int) -> String {
        guard let descriptor = connect(to: port) else { return "no connection: \(errno)" }
        defer { close(descriptor) }
        guard send(text, on: descriptor) else { return "not sent: \(errno)" }
        var received: [UInt8] = []
        let isSilent = read(from: descriptor) { received += $0 }
        return String(decoding: received, as: UTF8.self) + (isSilent ? "<silence>" : "")
    }

    /// Connects to a port of 127.0.0.1. The caller closes the socket.
    static func connect(to port: Int) -> Int32? {
        let descriptor = waybill_open_socket()
        var timeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                WaybillPlatform.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Sends a string, which must fit into the socket's buffers.
    static func send(_ text: String, on descriptor: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return waybill_send(descriptor, bytes, bytes.count, true) == bytes.count
    }

    /// Reads until the other side closes, or is silent for two minutes.
    ///
    /// - Returns: Whether it was silent.
    static func read(from descriptor: Int32, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EAGAIN { return true }
            guard count > 0 else { return false }
            take(chunk[..<count])
        }
    }
}
