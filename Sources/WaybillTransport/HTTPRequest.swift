import WaybillFormats
package import WaybillRuntime

/// A request that is ready to be sent: all of its templates have been evaluated.
package struct HTTPRequest: Sendable, Equatable {
    /// The body of the request.
    package enum Body: Sendable, Equatable {
        /// No body. POST, PUT and PATCH send `Content-Length: 0`; other methods send no length.
        case none
        /// These bytes, with their count as `Content-Length`.
        case bytes([UInt8])
        /// A file, which is read in pieces while it is sent, with its size as `Content-Length`.
        case file(LocalFile)
        /// The parts one after another, without separators, with the sum of their sizes as `Content-Length`.
        case parts([BodyPart])
    }

    /// Any method token (RFC 9110, section 9.1), in the case in which it is sent.
    package var method: String
    /// The absolute http or https URL, percent-encoded, with its query. It is sent as it is; a fragment is not sent.
    package var url: String
    /// The fields to send. `Host`, `Content-Length` and (with `acceptsCompression`) `Accept-Encoding` are added, and what
    /// `options` ask for (`Cookie`, `Authorization`); other fields are not.
    package var headers: [HTTPField]
    /// The body of the request.
    package var body: Body
    /// Whether the body contains a secret.
    package var isBodySensitive = false
    /// Whether the body contains a secret, or content that other requests share, and must not be sent to another origin.
    package var isBodyForOrigin = false
    /// The maximum time from the start of the transfer to the last byte of the response. Waiting for a free connection
    /// does not count.
    package var timeout: Duration
    /// How much of `timeout` has been used by the requests that were redirected to this one.
    package var elapsed = Duration.zero
    /// The maximum time to resolve the name, connect and finish the TLS handshake; part of `timeout`.
    package var connectTimeout: Duration
    /// The maximum size of the decoded body in bytes.
    package var maximumBodyBytes: Int
    /// The maximum number of requests, and so of connections, to this origin that may be in flight, including this one.
    package var maximumConnectionsPerOrigin: Int
    /// Where to connect instead of the URL's host and port. The URL, its scheme and `Host` stay as they are.
    package var connectTo: SocketEndpoint?
    /// Whether to ask for gzip, deflate, br and zstd, and to decode them. Otherwise the body is left as received.
    package var acceptsCompression: Bool
    /// The options of the transfer. Copies of a request share them, because they are more than half of its size and
    /// rarely change.
    package var options: TransferOptions {
        _read { yield sharedOptions.value }
        set { sharedOptions = CopyOnWrite(newValue) }
    }
    private var sharedOptions: CopyOnWrite<TransferOptions>

    /// Creates a request, with default limits unless others are given.
    package init(
        method: String = "GET",
        url: String,
        headers: [HTTPField] = [],
        body: Body = .none,
        timeout: Duration = .seconds(60),
        connectTimeout: Duration = .seconds(10),
        maximumBodyBytes: Int = 64 << 20,
        maximumConnectionsPerOrigin: Int = 8,
        connectTo: SocketEndpoint? = nil,
        acceptsCompression: Bool = true,
        options: CopyOnWrite<TransferOptions> = CopyOnWrite(TransferOptions())
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumConnectionsPerOrigin = maximumConnectionsPerOrigin
        self.connectTo = connectTo
        self.acceptsCompression = acceptsCompression
        sharedOptions = options
    }

    /// How much of `timeout` is left when the transfer starts.
    var remainingTime: Duration { timeout - elapsed }

    /// Whether the request has the same transfer options as another one.
    func travels(as other: HTTPRequest) -> Bool { sharedOptions == other.sharedOptions }

    /// Whether sending the request twice means the same as sending it once (RFC 9110, section 9.2.2).
    package var isIdempotent: Bool { Self.isIdempotent(method: method) }

    /// Whether a request with this method changes nothing on the server (RFC 9110, section 9.2.1).
    package static func isSafe(method: String) -> Bool { ["GET", "HEAD"].contains(method) }

    /// Whether sending a request with this method twice means the same as sending it once.
    package static func isIdempotent(method: String) -> Bool { RequestMethods.isIdempotent(method) }
}

/// A host and a port.
package struct SocketEndpoint: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    package let host: String
    /// The TCP port.
    package let port: Int

    /// An endpoint with a host (an IPv6 address without brackets) and a port.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

extension SocketEndpoint: CustomStringConvertible {
    /// `host:port`, with brackets around an IPv6 address.
    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
