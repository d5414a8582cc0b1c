import CLibCurl
import WaybillFormats
import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// Why a transfer failed: the kind of failure, libcurl's code or the nearest one, and one sentence without a full stop.
typealias FailureExplanation = (kind: TransportFailure.Kind, code: CURLcode, message: String)

extension Transfer {
    /// Explains why the transfer ended with a code or was refused. `detail` is libcurl's own message.
    func explanation(
        of code: CURLcode,
        in phase: TransportFailure.Phase,
        _ report: TransferReport,
        detail: String
    ) -> FailureExplanation {
        if let refusal { return (refusal.kind, refusal.code, refusal.message(for: prepared)) }
        let words = (detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail).lowercasedFirst
        let destination = prepared.origin.destination
        // libcurl does not report why it could not open a socket.
        let hasNoSocket = code == CURLE_COULDNT_CONNECT && report.systemError == 0 && FileLimit.isReached
        let systemError = hasNoSocket ? EMFILE : report.systemError
        let reason = systemError == 0 ? words : SystemError(systemError).description.lowercasedFirst
        let throughProxy = prepared.throughProxy
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            let host = (prepared.origin.connectTo ?? prepared.origin.endpoint).host
            return (.dns, code, "could not resolve the host name \(host)")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return (.dns, code, "could not resolve the name of the proxy \(prepared.proxy?.endpoint ?? "")")
        case CURLE_INTERFACE_FAILED:
            let interface = prepared.request.options.interface ?? ""
            let cause = systemError == 0 ? "" : ": \(reason)"
            return (.connect, code, "could not connect to \(destination): could not bind to '\(interface)'\(cause)")
        case CURLE_COULDNT_CONNECT, CURLE_PROXY:
            return (.connect, code, "could not connect to \(destination)\(throughProxy): \(reason)")
        case _ where report.connectStatus >= 300:
            let response = "the proxy responded with \(report.connectStatus)"
            return (.connect, code, "could not connect to \(destination)\(throughProxy): \(response)")
        case CURLE_OPERATION_TIMEDOUT: return (.timeout, code, prepared.timeoutMessage(in: phase))
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            return (.tls, code, "could not connect securely to \(destination): \(words)")
        case CURLE_GOT_NOTHING: return (.transfer, code, prepared.closedWithoutResponse)
        case CURLE_PARTIAL_FILE: return (.transfer, code, prepared.closedInResponse)
        // What newer versions refuse before they pass it on.
        case .tooLarge where detail.hasPrefix("Too many response headers"):
            return (.transfer, code, "the response has more than 5000 header fields, which is libcurl's limit")
        case CURLE_WEIRD_SERVER_REPLY where detail.hasPrefix("Version mismatch"):
            return (.transfer, code, prepared.versionNotAgreed)
        case CURLE_WEIRD_SERVER_REPLY where detail.hasPrefix("Invalid Content-Length"):
            return (.transfer, code, "the response's Content-Length is not a number of bytes")
        case CURLE_RECV_ERROR where detail.contains("unexpected eof"):
            return cutWithoutNotice(in: phase)
        case CURLE_BAD_CONTENT_ENCODING where detail.hasPrefix("Unsolicited Transfer-Encoding"):
            let coding = String(detail.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" })
            return (.transfer, CURLE_WEIRD_SERVER_REPLY, ResponseFraming.Fault.unknownCoding(coding).message)
        case CURLE_OUT_OF_MEMORY where phase == .receiving || phase == .awaitingResponse,
            .tooLarge where phase == .receiving || phase == .awaitingResponse:
            // libcurl's codes for a line, or for the whole header of a request, that exceeds its limit.
            let message =
                report.requestSize == 0
                ? "the request's URL and header fields are larger than libcurl's limit, usually 1 MiB"
                : "a line of the response's header is larger than libcurl's limit of 100 KiB"
            return (.transfer, .tooLarge, message)
        case CURLE_BAD_FUNCTION_ARGUMENT where phase == .receiving:
            // libcurl's code for a line that it cannot add to the fields.
            let message =
                head.isComplete
                ? "a line after the body of the response from \(destination) is not a trailer field: it has no colon"
                : prepared.foldedStart
            return (.transfer, CURLE_WEIRD_SERVER_REPLY, message)
        default:
            // A response before the end of an upload, such as 413, may be the reason for a reset.
            let after = head.isComplete ? " after the header of a response with the status \(head.statusCode)" : ""
            return (.transfer, code, "the transfer with \(destination) failed\(after): \(words)")
        }
    }

    /// Explains the end of a TLS connection without `close_notify`, for which newer versions have an error of their own.
    private func cutWithoutNotice(in phase: TransportFailure.Phase) -> FailureExplanation {
        guard phase == .receiving else { return (.transfer, CURLE_GOT_NOTHING, prepared.closedWithoutResponse) }
        guard !bodyEndsWithConnection else { return (.transfer, CURLE_PARTIAL_FILE, prepared.closedWithoutNotice) }
        return (.transfer, CURLE_PARTIAL_FILE, prepared.closedInResponse)
    }
}

extension Transfer.Refusal {
    fileprivate var kind: TransportFailure.Kind {
        switch self {
        case .pinMismatch, .pinsUnknown: .tls
        case .connectionUnusable: .timeout
        default: .transfer
        }
    }

    fileprivate var code: CURLcode {
        switch self {
        case .bodyTooLarge, .announcedBodyTooLarge, .memoryFull: CURLE_FILESIZE_EXCEEDED
        case .headerTooLarge, .tooManyCookies, .cookieTooLarge, .jarFull: .tooLarge
        case .headerIncomplete, .endNotAnnounced, .bodyIncomplete: CURLE_PARTIAL_FILE
        case .headerStartsFolded, .invalidFraming, .versionNotAgreed, .malformedStatusLine: CURLE_WEIRD_SERVER_REPLY
        case .sentTwice: CURLE_ABORTED_BY_CALLBACK
        case .nonceStaleTwice, .notChallenged: CURLE_LOGIN_DENIED
        case .pinMismatch, .pinsUnknown: CURLE_SSL_PINNEDPUBKEYNOTMATCH
        case .flooded: CURLE_HTTP2
        case .connectionUnusable: CURLE_OPERATION_TIMEDOUT
        case .bodyUnreadable: CURLE_READ_ERROR
        case .unknownCoding, .malformedCoding, .bytesAfterCoding, .incompleteCoding: CURLE_BAD_CONTENT_ENCODING
        }
    }

    fileprivate func message(for prepared: PreparedRequest) -> String {
        let destination = prepared.origin.destination
        let bodyTooLarge = "the body is larger than the limit of \(prepared.request.maximumBodyBytes) bytes"
        switch self {
        case .bodyTooLarge: return bodyTooLarge
        case .announcedBodyTooLarge(let count): return "\(bodyTooLarge): its Content-Length is \(count)"
        case .headerTooLarge:
            return "the response's header is larger than the limit of \(ResponseHeadCollector.maximumBytes) bytes"
        case .headerIncomplete:
            return "\(destination) closed the connection in the middle of the response's header"
        case .headerStartsFolded: return prepared.foldedStart
        case .invalidFraming(let fault): return fault.message
        case .sentTwice(let overHTTP2):
            let cause =
                overHTTP2
                ? "refused the request or closed the HTTP/2 connection without a response"
                : "closed a reused connection without a response"
            let reason =
                prepared.request.isIdempotent
                ? "the request was already sent twice"
                : "\(prepared.request.method) is not idempotent, so it was not sent again"
            return "\(destination) \(cause); \(reason)"
        case .notChallenged(let status):
            return
                "\(destination) did not ask for the digest credentials, and responded with status \(status) before the body was sent; "
                + "remove 'auth' if it needs none"
        case .nonceStaleTwice:
            return
                "\(destination) rejected the digest credentials twice because their nonce was stale; the request was "
                + "not sent again"
        case .endNotAnnounced: return prepared.closedWithoutNotice
        case .bodyIncomplete: return prepared.closedInResponse
        case .pinMismatch:
            return "could not connect securely to \(destination): no certificate or public key of the server is pinned"
        case .pinsUnknown:
            return "could not connect securely to \(destination): this libcurl does not provide the server's "
                + "certificates, so the pins cannot be checked"
        case .flooded:
            return
                "\(destination) kept sending data without any part of a response, such as empty HTTP/2 frames, so the "
                + "connection was closed"
        case .memoryFull:
            return
                "the responses that the run is receiving, and the results that later steps use, together take more than "
                + "1 GiB of memory, and a request over HTTP/2 cannot wait; a lower 'maxBody' or 'concurrency', or "
                + "'download', needs less"
        // There was no time left to send the request on another connection.
        case .connectionUnusable: return prepared.timeoutMessage(in: .awaitingResponse)
        case .versionNotAgreed: return prepared.versionNotAgreed
        case .cookieTooLarge:
            return
                "the response has a cookie of more than \(JarCookie.maximumBytes) bytes, or of more than "
                + "\(JarCookie.maximumFieldBytes) with its attributes, which are libcurl's limits; "
                + "'cookies: false' ignores cookies"
        case .tooManyCookies:
            return
                "the response has more than \(ShareHandle.maximumFields) Set-Cookie fields, which is libcurl's limit; "
                + "'cookies: false' ignores cookies"
        case .jarFull:
            return
                "\(destination) set a cookie although the jar already has \(ShareHandle.maximumCookies); "
                + "'cookies: false' ignores cookies"
        case .bodyUnreadable(let message): return message
        case .malformedStatusLine(let line):
            return "the response starts with \(line.shortened.quoted), which is not an HTTP status line"
        case .unknownCoding(let coding):
            let name = coding.isToken ? coding.shortened : coding.shortened.quoted
            return "the body has the unknown content encoding \(name)"
        case .malformedCoding(let codings):
            return "the body does not match its Content-Encoding (\(codings.joined(separator: ", ")))"
        case .bytesAfterCoding(let codings):
            return "the body continues after the end of its \(codings.joined(separator: ", ")) data"
        case .incompleteCoding(let codings):
            return "the body ends in the middle of its \(codings.joined(separator: ", ")) data"
        }
    }
}

extension PreparedRequest {
    /// The message for a header that starts with a folded line.
    fileprivate var foldedStart: String {
        "the header of the response from \(origin.destination) starts with a folded line, which belongs to no field"
    }

    /// The message for a connection that was closed before the response.
    fileprivate var closedWithoutResponse: String { "\(origin.destination) closed the connection without a response" }

    /// The message for a connection that was closed before the end of the response.
    fileprivate var closedInResponse: String {
        "\(origin.destination) closed the connection in the middle of the response"
    }

    /// The message for a body whose end is that of the connection, which may have been cut.
    fileprivate var closedWithoutNotice: String {
        "\(origin.destination) closed the TLS connection without close_notify, so the response may be truncated"
    }

    /// The message for a response with another version than the connection.
    fileprivate var versionNotAgreed: String {
        "the response from \(origin.destination) claims to be HTTP/2 on an HTTP/1.1 connection"
    }

    /// The message for a timeout in a phase of the transfer.
    fileprivate func timeoutMessage(in phase: TransportFailure.Phase) -> String {
        let destination = origin.destination
        let whole = request.timeout.words + (request.elapsed > .zero ? ", redirects included" : "")
        switch phase {
        case .waiting, .resolving, .connecting, .securing:
            let limit = request.connectTimeout < request.remainingTime ? request.connectTimeout.words : whole
            let activity =
                switch phase {
                case .securing: "the TLS handshake did not finish"
                case .connecting: "no connection was established"
                default: "the host name was not resolved"
                }
            return "\(activity) within \(limit) (\(destination))"
        case .sending where request.options.stallTimeout != nil,
            .awaitingResponse where request.options.stallTimeout != nil,
            .receiving where request.options.stallTimeout != nil:
            let limit = request.options.stallTimeout ?? .zero
            return "nothing was received from \(destination) for \(limit.words)"
        case .sending: return "\(destination) did not accept the whole request within \(whole)"
        case .awaitingResponse: return "no response from \(destination) within \(whole)"
        case .receiving: return "no complete response from \(destination) within \(whole)"
        }
    }

    /// The part of a message that names the proxy; empty unless it is certain that one is used.
    fileprivate var throughProxy: String {
        guard let proxy, proxy.exceptions.isEmpty else { return "" }
        return " through the proxy \(proxy.endpoint)"
    }
}

extension String {
    fileprivate var lowercasedFirst: String {
        // Leaves "SSL certificate…" unchanged.
        guard let first, dropFirst().first?.isUppercase != true else { return self }
        return first.lowercased() + dropFirst()
    }
}

extension ResponseFraming.Fault {
    fileprivate var message: String {
        switch self {
        case .invalidLength(let value):
            "the response's Content-Length is \(value.shortened.quoted), which is not a number of bytes"
        case .differentLengths(let first, let second):
            "the response has two different values of Content-Length, \(first) and \(second)"
        case .malformedField(let name):
            "the response's field \(name) is malformed: it is folded over several lines or has a space before its colon"
        case .invalidCodings(let codings):
            "the response's Transfer-Encoding is \(codings.shortened.quoted): 'chunked' may be there only once"
        case .malformedChunk:
            "the response has a chunk whose size is not a hexadecimal number"
        case .strayCharacter:
            "the response has a carriage return without a line feed, or a NUL, between its chunks or in a trailer"
        case .unknownCoding(let coding):
            "the response has the \(ResponseFraming.knownCodings.contains(coding) ? "unrequested" : "unknown") "
                + "Transfer-Encoding \(coding.isToken ? coding.shortened : coding.shortened.quoted)"
        }
    }
}

extension String {
    /// The string, truncated if it is long.
    var shortened: String { excerpt(40) }

    /// The string in single quotes, with control characters escaped.
    var quoted: String {
        let scalars = unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return "'\(scalars.joined())'"
    }
}

extension CURLcode {
    /// `CURLE_TOO_LARGE`, which older versions of libcurl do not declare.
    fileprivate static var tooLarge: CURLcode { CURLcode(rawValue: 100) }
}
