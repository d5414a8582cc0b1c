import WaybillRuntime

/// A complete response.
package struct HTTPResponse: Sendable, Equatable {
    /// The rarely used parts, stored by reference because a response is passed through many functions.
    private struct Details: Sendable, Equatable {
        var reason: String
        var httpVersion: String
        var url: String
        var timings: TransferTimings
        var bytesSent: Int
        var bytesReceived: Int
        var remoteAddress: SocketEndpoint?
        var reusedConnection: Bool
        var certificate: ServerCertificate?
        var redirects: [Redirect] = []
        var repetitions = 0
        var cacheUse: CacheUse?
        var memory: RunMemory.Share?
    }

    /// The status code of the final response.
    package var status: Int
    /// The header fields of the final response as received, without those of informational responses and trailers.
    /// `Content-Encoding` and `Content-Length` keep the values of the message even if the body has been decoded.
    package var headers: HTTPFields
    /// The body, decoded if the request accepted compression.
    package var body: [UInt8]
    private var details: CopyOnWrite<Details>

    /// The reason phrase; empty with HTTP/2, which has none.
    package var reason: String {
        get { details.value.reason }
        set { details.value.reason = newValue }
    }

    /// `1.0`, `1.1` or `2`.
    package var httpVersion: String { details.value.httpVersion }
    /// The URL of the request that received this response.
    package var url: String { details.value.url }
    /// How long the phases of the transfer took. After redirects, `total` covers all of them.
    package var timings: TransferTimings {
        get { details.value.timings }
        set { details.value.timings = newValue }
    }

    /// Bytes of header and body sent, before TLS and HTTP/2 framing.
    package var bytesSent: Int {
        get { details.value.bytesSent }
        set { details.value.bytesSent = newValue }
    }

    /// Bytes of header and body received, before decoding, without TLS and framing.
    package var bytesReceived: Int {
        get { details.value.bytesReceived }
        set { details.value.bytesReceived = newValue }
    }

    /// The address and port of the other end of the connection.
    package var remoteAddress: SocketEndpoint? { details.value.remoteAddress }
    /// Whether the connection of an earlier request was reused.
    package var reusedConnection: Bool { details.value.reusedConnection }
    /// The server's certificate, if the request needs it and the connection has one.
    package var certificate: ServerCertificate? { details.value.certificate }

    /// The redirects that were followed, the first one first.
    package var redirects: [Redirect] {
        get { details.value.redirects }
        set { details.value.redirects = newValue }
    }

    /// How often the request was sent again because the nonce of its digest credentials was stale.
    package var repetitions: Int {
        get { details.value.repetitions }
        set { details.value.repetitions = newValue }
    }

    /// How the cache was used; nil if the request did not use it.
    package var cacheUse: CacheUse? {
        get { details.value.cacheUse }
        set { details.value.cacheUse = newValue }
    }

    /// The memory that the response takes; nil if its body is small.
    package var memory: RunMemory.Share? {
        get { details.value.memory }
        set { details.value.memory = newValue }
    }

    /// Creates a response, for transports other than libcurl's.
    package init(
        status: Int,
        reason: String = "",
        httpVersion: String = "1.1",
        headers: HTTPFields = [],
        body: [UInt8] = [],
        url: String,
        timings: TransferTimings = .zero,
        bytesSent: Int = 0,
        bytesReceived: Int = 0,
        remoteAddress: SocketEndpoint? = nil,
        reusedConnection: Bool = false,
        certificate: ServerCertificate? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        details = CopyOnWrite(
            Details(
                reason: reason,
                httpVersion: httpVersion,
                url: url,
                timings: timings,
                bytesSent: bytesSent,
                bytesReceived: bytesReceived,
                remoteAddress: remoteAddress,
                reusedConnection: reusedConnection,
                certificate: certificate
            )
        )
    }
}

/// How long the phases of a transfer took, in libcurl's microseconds. A phase that was not reached or not needed (the
/// first three on a reused connection) is zero.
package struct TransferTimings: Sendable, Hashable {
    /// Looking up the name.
    package var dns: Duration
    /// Connecting, from the end of the lookup to the established TCP connection.
    package var connect: Duration
    /// The TLS handshake, from the established TCP connection on.
    package var tls: Duration
    /// From the start of the transfer to the first byte of the response.
    package var firstByte: Duration
    /// From the start of the transfer to its end. Waiting for a free connection is not included.
    package var total: Duration

    /// The timings of a transfer that never started.
    package static let zero = TransferTimings(dns: .zero, connect: .zero, tls: .zero, firstByte: .zero, total: .zero)
}
