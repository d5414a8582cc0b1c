import WaybillTransport

/// What sends the requests of a run, instead of the library's own transport: for tests without a network, or to send them
/// through the HTTP client of your program.
///
/// ```swift
/// struct Unavailable: ManifestTransport {
///     func send(_ request: ManifestTransportRequest) async throws -> ManifestTransportResponse {
///         ManifestTransportResponse(status: 503)
///     }
/// }
/// ```
///
/// Everything above HTTP is unchanged: templates, redirects, retries, deadlines, limits, filters and expectations. The run
/// enforces the request's `timeout` and `maxBody`. What the library's own transport does with connections does not apply:
/// `cache`, cookie jars, `tls`, `proxy`, `network`, `resolve`, digest credentials and compression. Pausing a run does not pause
/// requests in flight.
///
/// A transport receives the real values of secrets.
public protocol ManifestTransport: Sendable {
    /// Sends a request and returns the response, whatever its status. Redirects are responses: the run follows them.
    ///
    /// Called for several requests at once. The task is cancelled if the response is not needed any more; return soon
    /// after that.
    ///
    /// - Throws: ``ManifestTransportError`` if no response was received. Any other error counts as one of the kind
    ///   ``ManifestTransportError/Kind/transfer`` after the request was sent.
    func send(_ request: ManifestTransportRequest) async throws -> ManifestTransportResponse
}

/// A request that a ``ManifestTransport`` sends.
public struct ManifestTransportRequest: Sendable, Hashable {
    /// The method, such as `GET`.
    public var method: String
    /// The absolute URL, percent-encoded, with its query.
    public var url: String
    /// The fields of the header, in order, without `Host` and `Content-Length`.
    public var headers: ManifestHeaderFields
    /// The whole body; empty for a request without one.
    public var body: [UInt8]

    /// Creates a request, for tests of a transport.
    public init(method: String = "GET", url: String, headers: ManifestHeaderFields = [:], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The response of a ``ManifestTransport``.
public struct ManifestTransportResponse: Sendable, Hashable {
    /// The status, such as 200.
    public var status: Int
    /// The fields of the header, in order.
    public var headers: ManifestHeaderFields
    /// The whole body, without any content coding.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int = 200, headers: ManifestHeaderFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response with a value as JSON.
    public init(status: Int = 200, json: JSONValue) {
        self.init(
            status: status,
            headers: ["Content-Type": "application/json"],
            body: Array(json.description.utf8)
        )
    }
}

/// Why a ``ManifestTransport`` has no response.
public struct ManifestTransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure, which decide whether the request is retried.
    @nonexhaustive
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The name of the host could not be resolved.
        case dns
        /// No connection could be established.
        case connect
        /// The TLS handshake failed, or the certificate was refused.
        case tls
        /// The time was up.
        case timeout
        /// Anything else, such as a connection that broke.
        case transfer
    }

    /// The kind of failure.
    public var kind: Kind
    /// What failed, without a full stop. Secrets in it are masked.
    public var message: String
    /// Whether the server may have received the request. If so, it is only repeated if its method permits that.
    public var wasSent: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - kind: The kind of failure.
    ///   - message: What failed, without a full stop.
    ///   - wasSent: Whether the server may have received the request; `nil` for what the kind suggests: not if there was no
    ///     connection.
    public init(_ kind: Kind, _ message: String, wasSent: Bool? = nil) {
        self.kind = kind
        self.message = message
        self.wasSent = wasSent ?? [.timeout, .transfer].contains(kind)
    }

    /// The message.
    public var description: String { message }
}

extension ProvidedTransport {
    /// Sends requests with a transport of the program.
    init(_ transport: any ManifestTransport) {
        self.init { request, body in
            do {
                let response = try await transport.send(
                    ManifestTransportRequest(
                        method: request.method,
                        url: request.url,
                        headers: ManifestHeaderFields(request.headers.map { ($0.name, $0.value) }),
                        body: body
                    )
                )
                return HTTPResponse(
                    status: response.status,
                    headers: HTTPFields(response.headers.map { HTTPField(name: $0.name, value: $0.value) }),
                    body: response.body,
                    url: request.url
                )
            } catch let error as ManifestTransportError {
                throw TransportFailure(error.kind.inner, error.message, wasSent: error.wasSent)
            }
        }
    }
}

extension ManifestTransportError.Kind {
    fileprivate var inner: TransportFailure.Kind {
        switch self {
        case .dns: .dns
        case .connect: .connect
        case .tls: .tls
        case .timeout: .timeout
        case .transfer: .transfer
        }
    }
}
