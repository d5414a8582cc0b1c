import CLibCurl

/// Reads what libcurl knows about a transfer.
struct TransferReport {
    private let easy: UnsafeMutableRawPointer

    /// Creates a report on the transfer of a handle, which must not have been reset.
    init(_ handle: EasyHandle) {
        easy = handle.pointer
    }

    /// How long the phases took.
    var timings: TransferTimings {
        let resolved = number(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = number(CURLINFO_CONNECT_TIME_T)
        let secured = number(CURLINFO_APPCONNECT_TIME_T)
        // A transfer that failed to connect has made no new connection either, but it has tried.
        let isReused = isConnectionReused && hasConnected
        return TransferTimings(
            dns: .microseconds(isReused ? 0 : resolved),
            connect: .microseconds(isReused ? 0 : max(0, connected - resolved)),
            tls: .microseconds(isReused ? 0 : max(0, secured - connected)),
            firstByte: .microseconds(number(CURLINFO_STARTTRANSFER_TIME_T)),
            total: .microseconds(number(CURLINFO_TOTAL_TIME_T))
        )
    }

    /// How far the transfer got.
    func phase(of transfer: Transfer) -> TransportFailure.Phase {
        if transfer.head.hasBegun { return .receiving }
        // The counters are those of the second attempt, which was refused.
        if case .sentTwice = transfer.refusal { return .awaitingResponse }
        if transfer.wasSent {
            return sentBytes < (transfer.prepared.body?.count ?? 0) ? .sending : .awaitingResponse
        }
        // libcurl reports the time of connecting only after the handshake, and new versions also the address.
        if hasConnected || transfer.hasConnected { return .securing }
        return number(CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connecting : .resolving
    }

    /// Whether receiving can be paused without delaying other transfers. With HTTP/2, it would delay all others on the
    /// connection.
    var mayPauseReceiving: Bool { long(CURLINFO_HTTP_VERSION) != Int(CURL_HTTP_VERSION_2_0) }

    /// The status of a proxy's response to CONNECT; zero if there is none.
    var connectStatus: Int { long(CURLINFO_HTTP_CONNECTCODE) }

    /// The system's error number that ended the connection; zero if there is none.
    var systemError: Int32 { Int32(truncatingIfNeeded: long(CURLINFO_OS_ERRNO)) }

    /// The response of a successful transfer, without the parts that come from its header.
    func response(to transfer: Transfer) -> HTTPResponse {
        var response = HTTPResponse(
            status: long(CURLINFO_RESPONSE_CODE),
            httpVersion: httpVersion,
            body: transfer.body,
            url: transfer.prepared.request.url,
            timings: transfer.withoutPauses(timings),
            bytesSent: bytesSent(of: transfer),
            bytesReceived: long(CURLINFO_HEADER_SIZE) + number(CURLINFO_SIZE_DOWNLOAD_T),
            remoteAddress: remoteAddress,
            reusedConnection: isConnectionReused,
            certificate: transfer.certificate
        )
        if let share = transfer.share { response.memory = share }
        return response
    }

    /// The bytes of the requests with their bodies.
    ///
    /// Since version 8.7, libcurl counts the body as a part of the request. Earlier versions do so only if they send it
    /// together with the header: over HTTP/1, a body of less than 64 KiB that they were given as a whole.
    /// The size in bytes of the headers of the requests that were sent.
    var requestSize: Int { long(CURLINFO_REQUEST_SIZE) }

    private func bytesSent(of transfer: Transfer) -> Int {
        let size = requestSize
        if LibCurl.version >= 0x080700 { return size }
        if httpVersion != "2", let body = transfer.prepared.body?.smallBytes, body.count < 64 << 10 { return size }
        return size + sentBytes
    }

    /// The bytes of the request's body that were sent.
    var sentBytes: Int { number(CURLINFO_SIZE_UPLOAD_T) }

    /// Whether the transfer made no new connection.
    var isConnectionReused: Bool { long(CURLINFO_NUM_CONNECTS) == 0 }

    private var hasConnected: Bool { remoteHost != nil }

    private var httpVersion: String {
        switch long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "1.0"
        case Int(CURL_HTTP_VERSION_2_0): "2"
        default: "1.1"
        }
    }

    private var remoteAddress: SocketEndpoint? {
        remoteHost.map { SocketEndpoint(host: String(cString: $0), port: long(CURLINFO_PRIMARY_PORT)) }
    }

    private var remoteHost: UnsafeMutablePointer<CChar>? {
        var text: UnsafeMutablePointer<CChar>?
        waybill_easy_get_string(easy, CURLINFO_PRIMARY_IP, &text)
        return text.flatMap { $0[0] == 0 ? nil : $0 }
    }

    private func long(_ info: CURLINFO) -> Int {
        var value = 0
        waybill_easy_get_long(easy, info, &value)
        return value
    }

    private func number(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        waybill_easy_get_offset(easy, info, &value)
        return Int(value)
    }
}

/// The clock of a transfer that may be paused. It does not run during a pause.
struct TransferClock {
    /// When the timeout expires; nil while the clock is stopped.
    private(set) var deadline: ContinuousClock.Instant?

    private var remaining: Duration

    /// Creates the clock of a transfer that started at a time.
    init(start: ContinuousClock.Instant, timeout: Duration) {
        // A limit that does not overflow and is never reached.
        remaining = min(timeout, .seconds(1 << 40))
        deadline = start.advanced(by: remaining)
    }

    /// Stops the clock.
    mutating func stop() {
        guard let deadline else { return }
        remaining = deadline - .now
        self.deadline = nil
    }

    /// Restarts the clock.
    mutating func go() {
        if deadline == nil { deadline = .now.advanced(by: remaining) }
    }
}

/// The outcome that the engine delivers. Its header is still unparsed, so that the waiting task parses it and not the
/// engine's single thread.
enum TransferOutcome: Sendable {
    /// A response without its fields and reason phrase.
    case answered(HTTPResponse, head: [UInt8])
    /// No response was received.
    case failed(TransportFailure)

    /// The result, with the header parsed.
    var result: Result<HTTPResponse, TransportFailure> {
        switch self {
        case .failed(let failure):
            return .failure(failure)
        case .answered(let response, let bytes):
            return .success(response.withHead(bytes))
        }
    }
}

extension HTTPResponse {
    /// The response with the parts that come from its header.
    func withHead(_ bytes: [UInt8]) -> HTTPResponse {
        let head = ResponseHead(bytes)
        var response = self
        response.reason = head.reason
        response.headers = head.fields
        return response
    }
}
