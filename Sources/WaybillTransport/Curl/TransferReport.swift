import CLibCurl

/// What libcurl knows about a transfer when it ends.
struct TransferReport {
    private let easy: UnsafeMutableRawPointer

    /// Reads from the handle of a transfer, which must not have been reset.
    init(_ handle: EasyHandle) {
        easy = handle.pointer
    }

    /// How long the parts took.
    var timings: TransferTimings {
        let resolved = number(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = number(CURLINFO_CONNECT_TIME_T)
        let secured = number(CURLINFO_APPCONNECT_TIME_T)
        // A transfer that failed to connect has made no connection either, but has tried.
        let isReused = isConnectionReused && hasConnected
        return TransferTimings(
            dns: .microseconds(isReused ? 0 : resolved),
            connect: .microseconds(isReused ? 0 : max(0, connected - resolved)),
            tls: .microseconds(isReused ? 0 : max(0, secured - connected)),
            firstByte: .microseconds(number(CURLINFO_STARTTRANSFER_TIME_T)),
            total: .microseconds(number(CURLINFO_TOTAL_TIME_T))
        )
    }

    /// How far the transfer has come.
    func phase(of transfer: Transfer) -> TransportFailure.Phase {
        if transfer.head.hasBegun { return .receiving }
        // The counts are those of the second attempt, which we refused.
        if case .sentTwice = transfer.refusal { return .awaitingResponse }
        if transfer.wasSent {
            return number(CURLINFO_SIZE_UPLOAD_T) < (transfer.prepared.body?.count ?? 0) ? .sending : .awaitingResponse
        }
        // libcurl tells the time of connecting only when the handshake has ended too, the address at once.
        if hasConnected { return .securing }
        return number(CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connecting : .resolving
    }

    /// Whether holding up what is received holds nothing else up: with HTTP/2 it would, all else on its connection.
    var mayPauseReceiving: Bool { long(CURLINFO_HTTP_VERSION) != Int(CURL_HTTP_VERSION_2_0) }

    /// The status that a proxy answered CONNECT with; zero for none.
    var connectStatus: Int { long(CURLINFO_HTTP_CONNECTCODE) }

    /// The number of the system's error that ended the connection; zero when there was none.
    var systemError: Int32 { Int32(truncatingIfNeeded: long(CURLINFO_OS_ERRNO)) }

    /// The response of a successful transfer, without the parts that come from its header.
    func response(to transfer: Transfer) -> HTTPResponse {
        HTTPResponse(
            status: long(CURLINFO_RESPONSE_CODE),
            httpVersion: httpVersion,
            body: transfer.body,
            url: transfer.prepared.request.url,
            timings: transfer.withoutPauses(timings),
            bytesSent: long(CURLINFO_REQUEST_SIZE) + number(CURLINFO_SIZE_UPLOAD_T),
            bytesReceived: long(CURLINFO_HEADER_SIZE) + number(CURLINFO_SIZE_DOWNLOAD_T),
            remoteAddress: remoteAddress,
            reusedConnection: isConnectionReused,
            certificate: transfer.certificate
        )
    }

    /// Whether no connection was made for the transfer.
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

/// The time of a transfer that may be held up: while it is, its time does not pass.
struct TransferClock {
    /// When the time is over; nil while it stands still.
    private(set) var deadline: ContinuousClock.Instant?

    private var remaining: Duration

    /// A clock of a transfer that began at a moment.
    init(start: ContinuousClock.Instant, timeout: Duration) {
        // Far enough not to overflow, and never reached.
        remaining = min(timeout, .seconds(1 << 40))
        deadline = start.advanced(by: remaining)
    }

    /// Lets the time stand still.
    mutating func stop() {
        guard let deadline else { return }
        remaining = deadline - .now
        self.deadline = nil
    }

    /// Lets the time pass again.
    mutating func go() {
        if deadline == nil { deadline = .now.advanced(by: remaining) }
    }
}

/// What the engine hands over. The header is still bytes, so that reading it is the waiting task's work and not that
/// of the one thread.
enum TransferOutcome: Sendable {
    /// A response without its fields and reason phrase.
    case answered(HTTPResponse, head: [UInt8])
    /// None has come.
    case failed(TransportFailure)

    /// The response, read.
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
