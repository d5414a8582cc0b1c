import CMicroHTTPD
import Synchronization
import WaybillPlatform
import WaybillRuntime

/// A daemon of libmicrohttpd, which reads requests and sends responses on one thread. It ends with the last reference.
@safe final class Daemon: Sendable {
    /// A request whose response has not been sent yet.
    private final class Request {
        /// The target as it was sent.
        let target: String
        var hasHeader = false
        var bodyLength = 0
        /// The body, if the response depends on it; nil if it is too large to be compared.
        var body: [UInt8]? = []
        /// The response, if it is being delayed or the body is too large.
        var response: Responder.Response?

        init(target: String) { self.target = target }
    }

    private let responder: Responder
    private let limits: MockServer.Limits
    private let onRequest: @Sendable (MockServer.Exchange) -> Void
    /// The task that resumes each connection after the delay of a response, by its address; nil once delays have ended.
    private let delays = Mutex<[Int: Task<Void, Never>]?>([:])
    // Set by `init` only.
    private nonisolated(unsafe) var pointer: OpaquePointer?
    private nonisolated(unsafe) var socket: Int32 = -1
    /// The port that it listens on.
    nonisolated(unsafe) private(set) var port: UInt16

    /// Starts listening, on a free port if the port is 0. Nothing is accepted yet.
    init(
        _ responder: Responder,
        _ limits: MockServer.Limits,
        host: String,
        port: UInt16,
        onRequest: @escaping @Sendable (MockServer.Exchange) -> Void
    ) throws(SystemError) {
        self.responder = responder
        unsafe self.port = port
        self.onRequest = onRequest
        self.limits = limits
        unsafe pointer = waybill_start_daemon(
            host,
            &self.port,
            &socket,
            limits.head,
            UInt32(max(1, limits.idle / .seconds(1))),
            { _, target, _ in
                // Released when the request ends.
                var start = unsafe UnsafeMutablePointer(mutating: target)
                let target = unsafe target.map { unsafe String(cString: $0) } ?? ""
                // libmicrohttpd would also split the query, which nobody reads, and never respond if that takes too much
                // memory.
                while let byte = unsafe start, unsafe byte.pointee != 0 {
                    if unsafe byte.pointee == CChar(bitPattern: UInt8(ascii: "&")) { unsafe byte.pointee = 0x5F }
                    unsafe start = byte + 1
                }
                return unsafe Unmanaged.passRetained(Request(target: target)).toOpaque()
            },
            { daemon, connection, _, method, _, part, count, request in
                guard let daemon = unsafe daemon, let connection = unsafe connection, let method = unsafe method,
                    let count = unsafe count, let request = unsafe request?.pointee
                else { return .NO }
                let part = unsafe UnsafeRawBufferPointer(start: part, count: count.pointee)
                // All of the part is handled.
                unsafe count.pointee = 0
                let isOpen = unsafe Unmanaged<Daemon>.fromOpaque(daemon).takeUnretainedValue().handle(
                    Unmanaged<Request>.fromOpaque(request).takeUnretainedValue(),
                    method: String(cString: method),
                    part: part,
                    on: connection
                )
                return isOpen ? .YES : .NO
            },
            { _, _, request, _ in
                if let request = unsafe request?.pointee { unsafe Unmanaged<Request>.fromOpaque(request).release() }
            },
            // Valid as long as libmicrohttpd uses it: `deinit` waits for its thread.
            unsafe Unmanaged.passUnretained(self).toOpaque()
        )
        if unsafe pointer == nil { throw .last }
    }

    deinit {
        unsafe MHD_stop_daemon(pointer)
        unsafe close(socket)
    }

    /// Accepts connections until a signal.
    ///
    /// Without a descriptor for a connection, libmicrohttpd itself would retry endlessly and use a whole processor, or
    /// wait until another connection ends.
    func acceptConnections(until stop: WakeUp) {
        while true {
            var sources = unsafe [socket, stop.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            unsafe poll(&sources, 2, -1)
            if sources[1].revents != 0 { return }
            var address = sockaddr()
            var length = socklen_t(MemoryLayout<sockaddr>.size)
            let connection = unsafe accept(socket, &address, &length)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                unsafe MHD_add_connection(pointer, connection, &address, length)
            } else {
                usleep(100_000)
            }
        }
    }

    /// Ends all delays, after which no request receives a response.
    func endDelays() async {
        for task in (delays.withLock { $0.take() } ?? [:]).values {
            task.cancel()
            await task.value
        }
    }

    /// Handles the end of a request's header, each part of its body, its end, and the end of its response's delay.
    ///
    /// - Parameter part: The part of the body; otherwise empty.
    /// - Returns: Whether the connection stays open.
    private func handle(
        _ request: Request,
        method: String,
        part: UnsafeRawBufferPointer,
        on connection: OpaquePointer
    ) -> Bool {
        guard request.hasHeader, unsafe part.isEmpty else {
            request.hasHeader = true
            request.bodyLength += part.count
            if request.bodyLength > limits.body {
                let message = "the body exceeds the mock server's limit of \(limits.body) bytes"
                request.response = Responder.Response(content: .problem(413, message), route: nil)
            } else if request.bodyLength > limits.comparedBody {
                request.body = nil
            } else if responder.comparesBodies {
                unsafe request.body?.append(contentsOf: part)
            }
            return true
        }
        guard delays.withLock({ $0 != nil }) else { return false }
        func field(_ name: String) -> String? {
            unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { unsafe String(cString: $0) }
        }
        let target = RequestTarget(request.target, hostHeader: field("Host"))
        let example = field(MockServer.exampleField).flatMap { Int($0) }
        let response =
            request.response
            ?? responder.response(
                method: method,
                target,
                headers: responder.checksRequests ? unsafe Self.fields(of: connection) : [],
                body: request.body,
                example: example
            )
        if request.response == nil, response.content.delay > .zero {
            request.response = response
            return unsafe suspend(connection, for: response.content.delay)
        }
        onRequest(
            MockServer.Exchange(
                method: method,
                target: request.target,
                host: target.host,
                route: response.route?.path,
                status: response.content.status
            )
        )
        return unsafe send(response.content, on: connection)
    }

    /// The header fields of a request.
    private static func fields(of connection: OpaquePointer) -> [MockField] {
        var fields: [MockField] = []
        unsafe withUnsafeMutablePointer(to: &fields) { fields in
            _ = unsafe MHD_get_connection_values(
                connection,
                .HEADER_KIND,
                { fields, _, name, value in
                    guard let fields = unsafe fields, let name = unsafe name else { return .YES }
                    let value = unsafe value.map { unsafe String(cString: $0) } ?? ""
                    unsafe fields.assumingMemoryBound(to: [MockField].self).pointee
                        .append(MockField(String(cString: name), value))
                    return .YES
                },
                fields
            )
        }
        return fields
    }

    private func suspend(_ connection: OpaquePointer, for delay: Duration) -> Bool {
        nonisolated(unsafe) let connection = unsafe connection
        return delays.withLock { delays in
            guard delays != nil else { return false }
            unsafe MHD_suspend_connection(connection)
            unsafe delays?[Int(bitPattern: connection)] = Task {
                try? await Task.sleep(for: delay)
                unsafe MHD_resume_connection(connection)
            }
            return true
        }
    }

    private func send(_ content: MockResponse, on connection: OpaquePointer) -> Bool {
        // libmicrohttpd copies the body, and does not change it.
        let response = unsafe content.body.withUnsafeBytes { body in
            let start = unsafe UnsafeMutableRawPointer(mutating: body.baseAddress)
            return unsafe MHD_create_response_from_buffer(body.count, start, .RESPMEM_MUST_COPY)
        }
        guard let response = unsafe response else { return false }
        defer { unsafe MHD_destroy_response(response) }
        let ours: Set<String> = ["content-length", "transfer-encoding", "connection"]
        for header in content.headers where !ours.contains(header.name.lowercased()) {
            // libmicrohttpd refuses an empty value. A space before a value is not a part of it.
            unsafe MHD_add_response_header(response, header.name, header.value.isEmpty ? " " : header.value)
        }
        return unsafe MHD_queue_response(connection, UInt32(content.status), response) == .YES
    }
}
