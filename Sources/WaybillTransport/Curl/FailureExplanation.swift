import CLibCurl
import WaybillFormats
import WaybillJSON
import WaybillRuntime

/// Explains why a transfer failed.
struct FailureExplanation {
    /// The kind of failure.
    let kind: TransportFailure.Kind
    /// libcurl's code, or the nearest one.
    let code: CURLcode
    /// One sentence, without a full stop.
    let message: String

    private init(_ kind: TransportFailure.Kind, _ code: CURLcode, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    /// Explains why a transfer ended with a code or was refused. `detail` is libcurl's own message.
    init(
        code: CURLcode,
        transfer: Transfer,
        phase: TransportFailure.Phase,
        report: TransferReport,
        detail: String
    ) {
        if let refusal = transfer.refusal {
            self.init(refusal, transfer.prepared)
        } else {
            let words = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
            self.init(code, transfer.prepared, phase, report, words, isHeadComplete: transfer.head.isComplete)
        }
    }

    private init(_ refusal: Transfer.Refusal, _ prepared: PreparedRequest) {
        let destination = prepared.origin.destination
        switch refusal {
        case .bodyTooLarge:
            let limit = prepared.request.maximumBodyBytes
            self.init(.transfer, CURLE_FILESIZE_EXCEEDED, "the body is larger than the limit of \(limit) bytes")
        case .headerTooLarge:
            let limit = ResponseHeadCollector.maximumBytes
            self.init(.transfer, .tooLarge, "the response's header is larger than the limit of \(limit) bytes")
        case .announcedBodyTooLarge(let count):
            let limit = prepared.request.maximumBodyBytes
            self.init(
                .transfer,
                CURLE_FILESIZE_EXCEEDED,
                "the body is larger than the limit of \(limit) bytes: its Content-Length is \(count)"
            )
        case .headerIncomplete:
            self.init(
                .transfer,
                CURLE_PARTIAL_FILE,
                "\(destination) closed the connection in the middle of the response's header"
            )
        case .headerStartsFolded:
            self.init(.transfer, CURLE_WEIRD_SERVER_REPLY, Self.foldedStart(destination))
        case .invalidFraming(let fault):
            self.init(.transfer, CURLE_WEIRD_SERVER_REPLY, fault.message)
        case .sentTwice(let overHTTP2):
            let cause =
                overHTTP2
                ? "refused the request or closed the HTTP/2 connection without a response"
                : "closed a reused connection without a response"
            self.init(
                .transfer,
                CURLE_ABORTED_BY_CALLBACK,
                "\(destination) \(cause); "
                    + (prepared.request.isIdempotent
                        ? "the request was already sent twice"
                        : "\(prepared.request.method) is not idempotent, so it was not sent again")
            )
        case .nonceStaleTwice:
            self.init(
                .transfer,
                CURLE_LOGIN_DENIED,
                "\(destination) rejected the digest credentials twice because their nonce was stale; the request was not "
                    + "sent again"
            )
        case .endNotAnnounced:
            self.init(
                .transfer,
                CURLE_PARTIAL_FILE,
                "\(destination) closed the TLS connection without close_notify, so the response may be truncated"
            )
        case .pinMismatch:
            self.init(
                .tls,
                CURLE_SSL_PINNEDPUBKEYNOTMATCH,
                "could not connect securely to \(destination): no certificate or public key of the server is pinned"
            )
        case .pinsUnknown:
            self.init(
                .tls,
                CURLE_SSL_PINNEDPUBKEYNOTMATCH,
                "could not connect securely to \(destination): this libcurl does not provide the server's certificates, "
                    + "so the pins cannot be checked"
            )
        case .flooded:
            self.init(
                .transfer,
                CURLE_HTTP2,
                "\(destination) kept sending data without any part of a response, such as empty HTTP/2 frames, so the "
                    + "connection was closed"
            )
        case .memoryFull:
            self.init(
                .transfer,
                CURLE_FILESIZE_EXCEEDED,
                "the responses that the run is receiving together take more than 1 GiB of memory, and a request over "
                    + "HTTP/2 cannot wait; a lower 'maxBody' or 'concurrency', or 'download', needs less"
            )
        case .connectionUnusable:
            // There was no time left to send the request on another connection.
            let message = Self.timeoutMessage(prepared.request, destination, .awaitingResponse)
            self.init(.timeout, CURLE_OPERATION_TIMEDOUT, message)
        case .versionNotAgreed:
            self.init(
                .transfer,
                CURLE_WEIRD_SERVER_REPLY,
                "the response from \(destination) claims to be HTTP/2 on an HTTP/1.1 connection"
            )
        case .bodyUnreadable(let message):
            self.init(.transfer, CURLE_READ_ERROR, message)
        case .malformedStatusLine(let line):
            self.init(
                .transfer,
                CURLE_WEIRD_SERVER_REPLY,
                "the response starts with \(line.shortened.quoted), which is not an HTTP status line"
            )
        case .unknownCoding(let coding):
            self.init(
                .transfer,
                CURLE_BAD_CONTENT_ENCODING,
                "the body has the unknown content encoding \(coding.isToken ? coding.shortened : coding.shortened.quoted)"
            )
        case .malformedCoding(let codings):
            let names = codings.joined(separator: ", ")
            self.init(.transfer, CURLE_BAD_CONTENT_ENCODING, "the body does not match its Content-Encoding (\(names))")
        case .bytesAfterCoding(let codings):
            let names = codings.joined(separator: ", ")
            self.init(.transfer, CURLE_BAD_CONTENT_ENCODING, "the body continues after the end of its \(names) data")
        case .incompleteCoding(let codings):
            let names = codings.joined(separator: ", ")
            self.init(.transfer, CURLE_BAD_CONTENT_ENCODING, "the body ends in the middle of its \(names) data")
        }
    }

    private init(
        _ code: CURLcode,
        _ prepared: PreparedRequest,
        _ phase: TransportFailure.Phase,
        _ report: TransferReport,
        _ words: String,
        isHeadComplete: Bool
    ) {
        let destination = prepared.origin.destination
        let systemError = report.systemError
        let reason = systemError == 0 ? words.lowercasedFirst : SystemError(systemError).description.lowercasedFirst
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            let host = (prepared.origin.connectTo ?? prepared.origin.endpoint).host
            self.init(.dns, code, "could not resolve the host name \(host)")
        case CURLE_COULDNT_RESOLVE_PROXY:
            self.init(.dns, code, "could not resolve the name of the proxy \(prepared.proxy?.endpoint ?? "")")
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY:
            let throughProxy = prepared.throughProxy
            self.init(.connect, code, "could not connect to \(destination)\(throughProxy): \(reason)")
        case _ where report.connectStatus >= 300:
            self.init(
                .connect,
                code,
                "could not connect to \(destination)\(prepared.throughProxy): the proxy responded with "
                    + "\(report.connectStatus)"
            )
        case CURLE_OPERATION_TIMEDOUT:
            self.init(.timeout, code, Self.timeoutMessage(prepared.request, destination, phase))
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            self.init(.tls, code, "could not connect securely to \(destination): \(words.lowercasedFirst)")
        case CURLE_GOT_NOTHING:
            self.init(.transfer, code, "\(destination) closed the connection without a response")
        case CURLE_PARTIAL_FILE:
            self.init(.transfer, code, "\(destination) closed the connection in the middle of the response")
        case CURLE_OUT_OF_MEMORY where phase == .receiving || phase == .awaitingResponse:
            // libcurl's code for a line that exceeds its limit.
            self.init(.transfer, .tooLarge, "a line of the response's header is larger than libcurl's limit of 100 KiB")
        case CURLE_BAD_FUNCTION_ARGUMENT where phase == .receiving:
            // libcurl's code for a line that it cannot add to the fields.
            let message =
                isHeadComplete
                ? "a line after the body of the response from \(destination) is not a trailer field: it has no colon"
                : Self.foldedStart(destination)
            self.init(.transfer, CURLE_WEIRD_SERVER_REPLY, message)
        default:
            self.init(.transfer, code, "the transfer with \(destination) failed: \(words.lowercasedFirst)")
        }
    }

    private static func foldedStart(_ destination: String) -> String {
        "the header of the response from \(destination) starts with a folded line, which belongs to no field"
    }

    private static func timeoutMessage(
        _ request: HTTPRequest,
        _ destination: String,
        _ phase: TransportFailure.Phase
    ) -> String {
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
            "the response's Transfer-Encoding is \(codings.shortened.quoted): 'chunked' must be last, and only once"
        case .malformedChunk:
            "the response has a chunk whose size is not a hexadecimal number"
        case .unknownCoding(let coding):
            "the response has the unknown Transfer-Encoding \(coding.isToken ? coding.shortened : coding.shortened.quoted)"
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

extension PreparedRequest {
    /// The part of a message that names the proxy; empty unless it is certain that one is used.
    fileprivate var throughProxy: String {
        guard let proxy, proxy.exceptions.isEmpty else { return "" }
        return " through the proxy \(proxy.endpoint)"
    }
}
