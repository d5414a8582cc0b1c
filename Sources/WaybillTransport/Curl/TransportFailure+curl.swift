import CLibCurl

extension TransportFailure {
    /// A request that may not be sent.
    static func refused(_ code: CURLcode, _ message: String) -> TransportFailure {
        TransportFailure(kind: .transfer, code: Int32(code.rawValue), message: message)
    }

    /// The failure that libcurl, or our own refusal, ended a transfer with.
    init(code: CURLcode, transfer: Transfer, report: TransferReport, detail: String) {
        let phase = report.phase(of: transfer)
        let (kind, code, message) = Self.explanation(
            of: code,
            transfer: transfer,
            phase: phase,
            systemError: report.systemError,
            detail: detail
        )
        self.init(
            kind: kind,
            phase: phase,
            code: Int32(code.rawValue),
            message: message,
            timings: report.timings,
            wasSent: transfer.wasSent
        )
    }

    /// The failure of a transfer that its task gave up.
    static func cancelled(_ transfer: Transfer) -> TransportFailure {
        stopped(transfer, "the request was cancelled")
    }

    /// The failure of a transfer that the end of the transport ended.
    static func shutDown(_ transfer: Transfer) -> TransportFailure {
        stopped(transfer, shutDownMessage)
    }

    /// The failure of a request that came after the end.
    static let afterShutDown = TransportFailure(
        kind: .cancelled,
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
        message: shutDownMessage
    )

    private static let shutDownMessage = "the transport was shut down"

    private static func stopped(_ transfer: Transfer, _ message: String) -> TransportFailure {
        let report = transfer.handle.map(TransferReport.init)
        return TransportFailure(
            kind: .cancelled,
            phase: report?.phase(of: transfer) ?? .waiting,
            code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
            message: message,
            timings: report?.timings ?? .zero,
            wasSent: transfer.wasSent
        )
    }

    private static func explanation(
        of code: CURLcode,
        transfer: Transfer,
        phase: Phase,
        systemError: Int32,
        detail: String
    ) -> (Kind, CURLcode, String) {
        let request = transfer.prepared.request
        let destination = transfer.prepared.origin.destination
        switch transfer.refusal {
        case .bodyTooLarge:
            let limit = request.maximumBodyBytes
            return (.transfer, CURLE_FILESIZE_EXCEEDED, "the body is larger than the limit of \(limit) bytes")
        case .headerTooLarge:
            let limit = ResponseHeadCollector.maximumBytes
            // CURLE_TOO_LARGE, which this libcurl does not have yet.
            return (
                .transfer, CURLcode(rawValue: 100), "the answer's header is larger than the limit of \(limit) bytes"
            )
        case .sentTwice:
            return (
                .transfer, CURLE_ABORTED_BY_CALLBACK,
                "\(destination) ended a kept connection without an answer; \(request.method) is not idempotent, so it "
                    + "was not sent again"
            )
        case nil:
            break
        }
        let words = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        let reason = systemError == 0 ? words : SystemError(systemError).description.lowercasedFirst
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return (.dns, code, "could not resolve the host name \(destination.host)")
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
            return (.connect, code, "could not connect to \(destination): \(reason)")
        case CURLE_OPERATION_TIMEDOUT:
            return (.timeout, code, timeoutMessage(request: request, destination: destination, phase: phase))
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            return (.tls, code, "no secure connection to \(destination): \(words.lowercasedFirst)")
        case CURLE_GOT_NOTHING:
            return (.transfer, code, "\(destination) closed the connection without an answer")
        case CURLE_PARTIAL_FILE:
            return (.transfer, code, "\(destination) closed the connection in the middle of the answer")
        default:
            return (.transfer, code, "the transfer with \(destination) broke off: \(words.lowercasedFirst)")
        }
    }

    private static func timeoutMessage(request: HTTPRequest, destination: SocketEndpoint, phase: Phase) -> String {
        switch phase {
        case .waiting, .resolving, .connecting, .securing:
            let limit = min(request.connectTimeout, request.timeout)
            let activity =
                switch phase {
                case .securing: "the TLS handshake did not end"
                case .connecting: "no connection came about"
                default: "the host name was not resolved"
                }
            return "\(activity) within \(limit) (\(destination))"
        case .sending: return "\(destination) did not take the whole request within \(request.timeout)"
        case .awaitingAnswer: return "no answer from \(destination) within \(request.timeout)"
        case .receiving: return "no complete answer from \(destination) within \(request.timeout)"
        }
    }
}

extension String {
    fileprivate var lowercasedFirst: String {
        // "SSL certificate…" stays as it is.
        guard let first, dropFirst().first?.isUppercase != true else { return self }
        return first.lowercased() + dropFirst()
    }
}
