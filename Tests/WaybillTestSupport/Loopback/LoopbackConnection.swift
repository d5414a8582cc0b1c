import Synchronization
import WaybillPlatform

/// A connection of a server, on a separate thread: its functions block. A script calls them in the order in which
/// things should happen.
package final class LoopbackConnection: Sendable {
    /// The number of the connection, from 0 in the order of acceptance.
    package let number: Int

    // Nil when closed. Under the lock because `stop` of the server shuts it down from another thread.
    private let descriptor: Mutex<Int32?>
    // Bytes that arrived with an earlier request.
    private let pending = Mutex<[UInt8]>([])
    private let record: @Sendable (ReceivedRequest) -> Void

    init(descriptor: Int32, number: Int, record: @escaping @Sendable (ReceivedRequest) -> Void) {
        self.descriptor = Mutex(descriptor)
        self.number = number
        self.record = record
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads this many bytes; nil if the client has ended the connection before.
    package func read(count: Int) -> [UInt8]? {
        var bytes = pending.withLock { $0 }
        while bytes.count < count {
            if !readMore(into: &bytes) { return nil }
        }
        pending.withLock { [bytes] in $0 = Array(bytes[count...]) }
        return Array(bytes[..<count])
    }

    /// Reads the header of the next request, which `readRequest` reads again with its body; nil if the client has ended
    /// the connection.
    package func peekHead() -> String? {
        var bytes = pending.withLock { $0 }
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
                pending.withLock { [bytes] in $0 = bytes }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            if !readMore(into: &bytes) { return nil }
        }
    }

    /// Reads and records the next request with its body; nil if the client has ended the connection.
    @discardableResult
    package func readRequest() -> ReceivedRequest? {
        var bytes = pending.withLock { $0 }
        var headEnd: Int?
        while headEnd == nil {
            headEnd = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
            if headEnd == nil, !readMore(into: &bytes) { return nil }
        }
        let head = Array(bytes[..<headEnd!])
        let length = ReceivedRequest.values(named: "Content-Length", in: head).first.flatMap { Int($0) } ?? 0
        while bytes.count < head.count + length {
            if !readMore(into: &bytes) { return nil }
        }
        let end = head.count + length
        let request = ReceivedRequest(rawHead: head, body: Array(bytes[head.count..<end]), connection: number)
        let rest = Array(bytes[end...])
        pending.withLock { $0 = rest }
        record(request)
        return request
    }

    /// Sends a string. Returns false if the client has ended the connection.
    @discardableResult
    package func write(_ text: String) -> Bool {
        write(Array(text.utf8))
    }

    /// Sends bytes. Returns false if the client has ended the connection.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        guard let descriptor = descriptor.withLock({ $0 }) else { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { waybill_send(descriptor, $0.baseAddress, $0.count, true) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends the same bytes again and again, until the client has accepted none for some time or the limit is reached.
    /// Returns how many were sent.
    package func writeUntilHeldUp(_ bytes: [UInt8], for time: Duration, limit: Int) -> Int {
        guard let descriptor = descriptor.withLock({ $0 }) else { return 0 }
        var sent = 0
        while sent < limit {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, Int32(time / .milliseconds(1))) > 0 else { return sent }
            let count = bytes.prefix(limit - sent).withUnsafeBytes {
                waybill_send(descriptor, $0.baseAddress, $0.count, false)
            }
            guard count > 0 || errno == EAGAIN else { return sent }
            sent += max(0, count)
        }
        return sent
    }

    /// Waits for this time. Returns false, and does so immediately, if the client has ended the connection.
    package func pass(milliseconds: Int32) -> Bool {
        guard let descriptor = descriptor.withLock({ $0 }) else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return true }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    /// Waits until the client ends the connection. What it sends until then is discarded.
    package func waitForEnd() {
        var dropped: [UInt8] = []
        while readMore(into: &dropped) { dropped = [] }
    }

    /// Reads nothing until the server is stopped.
    package func waitUntilInterrupted() {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        while poll(&entry, 1, -1) < 0 && errno == EINTR {}
    }

    /// Closes the connection as usual.
    package func close() {
        descriptor.withLock { descriptor in
            if let open = descriptor { closeDescriptor(open) }
            descriptor = nil
        }
    }

    /// Closes the connection with a reset.
    package func reset() {
        descriptor.withLock { descriptor in
            if let open = descriptor {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(open, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
                closeDescriptor(open)
            }
            descriptor = nil
        }
    }

    /// Ends blocking calls, from another thread.
    func interrupt() {
        descriptor.withLock { descriptor in
            if let open = descriptor { _ = shutdown(open, Int32(SHUT_RDWR)) }
        }
    }

    private func readMore(into bytes: inout [UInt8]) -> Bool {
        guard let descriptor = descriptor.withLock({ $0 }) else { return false }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        return true
    }
}

private func closeDescriptor(_ descriptor: Int32) {
    close(descriptor)
}
