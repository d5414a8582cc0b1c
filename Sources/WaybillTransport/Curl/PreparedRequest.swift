import CLibCurl
import WaybillFormats
import WaybillRuntime

/// A validated request in the form that libcurl expects.
final class PreparedRequest: Sendable {
    /// What a transfer is for.
    enum Purpose: Sendable {
        /// The request is sent and its response is collected.
        case exchange
        /// The request is sent and the body of its response is received in pieces.
        case stream
        /// A connection is established, and nothing is sent.
        case connection
    }

    /// The request as it was given.
    let request: HTTPRequest
    /// The URL, with an internationalised host in ASCII.
    let url: String
    /// What the transfer is for.
    let purpose: Purpose
    /// The destination of the request.
    let origin: Origin
    /// The header lines for libcurl's `CURLOPT_HTTPHEADER`.
    let headerLines: [String]
    /// The cookies in the request's own `Cookie` fields.
    let cookies: String?
    /// The body; nil for a request without body and without `Content-Length`.
    let body: BodyPlan?
    /// The proxy to use.
    let proxy: PreparedProxy?
    /// The pins, one of which the server must match.
    let pins: PinSet?

    /// Validates a request and inspects the files that it names, which may block. Throws for a request that must not be
    /// sent.
    init(_ request: HTTPRequest, purpose: Purpose = .exchange, files: RequestFiles) throws(TransportFailure) {
        guard request.method.isToken else {
            throw .refused(
                CURLE_BAD_FUNCTION_ARGUMENT,
                "the method is not a token of letters, digits and !#$%&'*+-.^_`|~"
            )
        }
        self.request = request
        self.purpose = purpose
        url = try InternationalHost.asciiURL(request.url)
        try request.options.check()
        try files.inspectFiles(of: request)
        origin = try Origin(
            ofURL: request.url,
            connectTo: request.connectTo,
            resolve: request.options.resolve,
            unixSocket: request.options.unixSocket
        )
        guard origin.isSecure || request.options.version != .http2 else {
            throw .refused(
                CURLE_UNSUPPORTED_PROTOCOL,
                "HTTP/2 cannot be negotiated without TLS; use 'http: 2-prior-knowledge' for \(origin.destination)"
            )
        }
        body = try Self.body(of: request)
        let header = try RequestHeader(request, body: body)
        headerLines = header.lines
        cookies = header.cookies
        proxy = try PreparedProxy.make(request.options.proxy, for: origin)
        self.pins = origin.isSecure ? try files.pinSet(for: request.options.tls.pins) : nil
    }

    /// Whether a handle with the options of another request needs only the URL, the header lines and the timeouts of
    /// this one.
    func hasOptions(of other: PreparedRequest) -> Bool {
        isPlain && other.isPlain && request.method == other.request.method
            && origin.isSecure == other.origin.isSecure && origin.unixSocket == other.origin.unixSocket
            && proxy == other.proxy && request.travels(as: other.request)
    }

    /// Whether the request has no body, no credentials that libcurl would remember, and no other rare options.
    var isPlain: Bool {
        purpose == .exchange && body == nil && cookies == nil && origin.connectTo == nil
            && request.options.credentials == .none
    }

    /// Whether HTTP/2 is not offered to the server. Without TLS, it is offered only with prior knowledge.
    var choosesHTTP1: Bool {
        switch request.options.version {
        case .http1: true
        case .http2PriorKnowledge: false
        // A paused stream would delay all others on its connection.
        case .auto, .http2: purpose == .stream || !origin.isSecure
        }
    }

    private static func body(of request: HTTPRequest) throws(TransportFailure) -> BodyPlan? {
        let parts: [BodyPart]
        switch request.body {
        case .none:
            // RFC 9110, section 8.6: a method that anticipates content sends a length even if there is none.
            return ["POST", "PUT", "PATCH"].contains(request.method) ? try BodyPlan([]) : nil
        case .bytes(let bytes): parts = [.bytes(bytes)]
        case .file(let path): parts = [.file(path)]
        case .parts(let list): parts = list
        }
        guard request.method != "HEAD" else {
            throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "a HEAD request cannot carry a body")
        }
        return try BodyPlan(parts)
    }
}

extension TransferOptions {
    /// Throws for strings that libcurl would misinterpret.
    fileprivate func check() throws(TransportFailure) {
        try Self.check(unixSocket)
        try Self.check(interface)
        try Self.check(tls.certificateAuthorities)
        try Self.check(tls.clientCertificate)
        try Self.check(tls.clientKey)
        switch credentials {
        case .none: break
        case .digest(let username, let password):
            // RFC 7616 allows both to be empty.
            guard !username.utf8.contains(0), !password.utf8.contains(0) else {
                throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the user name or the password contains a NUL")
            }
        }
        // struct sockaddr_un has room for this many bytes on every system, with the NUL.
        guard unixSocket.map({ $0.utf8.count < 104 }) ?? true else {
            throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the path of the Unix domain socket is too long")
        }
    }

    private static func check(_ text: String?) throws(TransportFailure) {
        // C strings end at the first NUL, and an empty one resets the option.
        guard let text, text.isEmpty || text.utf8.contains(0) else { return }
        throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "an option of the transfer is empty or contains a NUL")
    }
}
