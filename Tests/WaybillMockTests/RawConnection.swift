#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A client that speaks to a socket and understands nothing of HTTP.
enum RawConnection {
    /// Sends a text to a port of 127.0.0.1 and returns what comes until the other side closes, or is silent for 10 s.
    static func exchange(_ text: String, port: Int) async -> String {
        await withCheckedContinuation { continuation in
            let work = Work { continuation.resume(returning: blockingExchange(text, port: port)) }
            start(work)
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Blocking calls have no place on the threads of tasks.
    private static func start(_ work: Work) {
        let argument = Unmanaged.passRetained(work).toOpaque()
        #if canImport(Glibc)
            var thread = pthread_t()
            pthread_create(&thread, nil, { RawConnection.main($0!) }, argument)
        #else
            var thread: pthread_t?
            pthread_create(&thread, nil, { RawConnection.main($0) }, argument)
        #endif
    }

    private static func main(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }

    private static func blockingExchange(_ text: String, port: Int) -> String {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { return "no connection: \(errno)" }
        let bytes = Array(text.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            return "not sent: \(errno)"
        }

        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EAGAIN { return String(decoding: received, as: UTF8.self) + "<silence>" }
            guard count > 0 else { return String(decoding: received, as: UTF8.self) }
            received += chunk[..<count]
        }
    }
}
