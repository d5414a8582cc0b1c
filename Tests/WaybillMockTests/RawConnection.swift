#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A client that uses a socket directly and does not interpret HTTP.
enum RawConnection {
    /// Sends a string to a port of 127.0.0.1 and returns what it receives until the other side closes or is silent for
    /// two minutes: on a loaded machine, the server's tasks wait for all other tests.
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

    /// Starts a thread, because blocking calls must not run on the threads of tasks.
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
        guard let descriptor = connect(to: port) else { return "no connection: \(errno)" }
        defer { close(descriptor) }
        guard send(text, on: descriptor) else { return "not sent: \(errno)" }
        var received: [UInt8] = []
        let isSilent = read(from: descriptor) { received += $0 }
        return String(decoding: received, as: UTF8.self) + (isSilent ? "<silence>" : "")
    }

    /// Connects to a port of 127.0.0.1. The caller closes the socket.
    static func connect(to port: Int) -> Int32? {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var timeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #if canImport(Glibc)
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                #else
                    Darwin.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                #endif
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
        #if canImport(Glibc)
            return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        #else
            return Darwin.send(descriptor, bytes, bytes.count, 0) == bytes.count
        #endif
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
