import WaybillPlatform

/// Receives HTTP requests from a browser on this machine, such as the redirect that ends a login (RFC 8252, section 7.3).
package final class LoopbackListener: Sendable {
    /// What a request receives.
    package struct Answer: Sendable {
        /// The status with its reason.
        package let status: String
        /// The text of the page.
        package let text: String
        /// Whether no other request is waited for.
        package let isLast: Bool

        package init(_ status: String, _ text: String, isLast: Bool = false) {
            (self.status, self.text, self.isLast) = (status, text, isLast)
        }
    }

    /// A connection, and what was received.
    private struct Connection {
        let descriptor: Int32
        var received: [UInt8] = []
    }

    private static let maximumConnections = 16
    private static let maximumRequestBytes = 16 << 10

    /// The port that it listens on.
    package let port: Int
    private let socket: Int32

    /// Listens on a port of 127.0.0.1; 0 for any that is free. Throws the system's error.
    package init(port: Int) throws(SystemError) {
        let socket = waybill_open_socket()
        self.socket = socket
        guard socket >= 0 else { throw .last }
        // Otherwise no other login could use the port for a minute, in which the system remembers its connections.
        var isReused: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard isListening else {
            let error = SystemError.last
            close(socket)
            throw error
        }
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        self.port = Int(in_port_t(bigEndian: address.sin_port))
    }

    deinit { close(socket) }

    /// Answers requests until the last one, for some time. Returns whether the last one came: not if the time is over or
    /// the task was cancelled.
    ///
    /// - Parameter answer: Returns the answer to a GET request, given its target.
    package func serve(
        for time: Duration,
        _ answer: @escaping @Sendable (_ target: String) -> Answer
    ) async -> Bool {
        guard let interruption = try? Interruption() else { return false }
        return await withTaskCancellationHandler {
            await BlockingCall.run { self.serve(until: .now + time, interruption, answer) } ?? false
        } onCancel: {
            interruption.interrupt()
        }
    }

    private func serve(
        until end: ContinuousClock.Instant,
        _ interruption: Interruption,
        _ answer: (String) -> Answer
    ) -> Bool {
        // A browser opens connections that it may never use.
        var connections: [Connection] = []
        defer { for connection in connections { close(connection.descriptor) } }
        while !interruption.isInterrupted, ContinuousClock.now < end {
            var sources = ([interruption.descriptor, socket] + connections.map(\.descriptor))
                .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let left = min(ContinuousClock.now.duration(to: end) / .milliseconds(1), 60_000)
            guard poll(&sources, nfds_t(sources.count), Int32(left.rounded(.up))) > 0 else { continue }
            for index in connections.indices.reversed() where sources[index + 2].revents != 0 {
                let isOpen = read(&connections[index])
                let target = Self.target(of: connections[index].received)
                guard target != nil || !isOpen else { continue }
                let connection = connections.remove(at: index)
                defer { close(connection.descriptor) }
                guard let target else { continue }
                let response = target.map(answer) ?? Answer("405 Method Not Allowed", "Only GET is supported here.")
                Self.write(response, to: connection.descriptor)
                if response.isLast { return true }
            }
            guard sources[1].revents != 0 else { continue }
            let descriptor = accept(socket, nil, nil)
            guard descriptor >= 0 else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            if connections.count == Self.maximumConnections { close(connections.removeFirst().descriptor) }
            connections.append(Connection(descriptor: descriptor))
        }
        return false
    }

    /// Reads what has arrived; returns whether more can come.
    private func read(_ connection: inout Connection) -> Bool {
        guard let bytes = try? OpenFile.read(4096, from: connection.descriptor), !bytes.isEmpty else { return false }
        connection.received += bytes
        return connection.received.count <= Self.maximumRequestBytes
    }

    /// The target of a complete request, which is `nil` itself if the method is not GET.
    private static func target(of request: [UInt8]) -> String?? {
        guard request.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return nil }
        let line = request.prefix { $0 != UInt8(ascii: "\r") }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        return .some(words.count == 3 && words[0] == "GET" ? words[1] : nil)
    }

    private static func write(_ answer: Answer, to descriptor: Int32) {
        let page = "<!doctype html><meta charset=\"utf-8\"><title>Waybill</title><p>\(answer.text)</p>\n"
        let head = [
            "HTTP/1.1 \(answer.status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "Connection: close", "", "",
        ]
        let bytes = Array((head.joined(separator: "\r\n") + page).utf8)
        // It fits into the buffer of a new connection.
        _ = waybill_send(descriptor, bytes, bytes.count, false)
        shutdown(descriptor, Int32(SHUT_WR))
    }
}
