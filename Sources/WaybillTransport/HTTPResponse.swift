/// A whole answer.
package struct HTTPResponse: Sendable, Equatable {
    /// The status code of the final answer.
    package var status: Int
    /// The reason phrase; empty with HTTP/2, which has none.
    package var reason: String
    /// `1.0`, `1.1` or `2`.
    package var httpVersion: String
    /// The header fields of the final answer, as they came: those of informational answers and trailers are left out.
    /// `Content-Encoding` and `Content-Length` are those of the message, also when the body has been decoded.
    package var headers: HTTPFields
    /// The body, decoded if the request accepted compression.
    package var body: [UInt8]
    /// The URL that answered.
    package var url: String
    /// How long the parts of the transfer took.
    package var timings: TransferTimings
    /// Bytes of header and body sent, before TLS and HTTP/2 framing.
    package var bytesSent: Int
    /// Bytes of header and body received, before decoding, without TLS and framing.
    package var bytesReceived: Int
    /// The other end of the connection.
    package var remoteAddress: SocketEndpoint?
    /// Whether a connection of an earlier request was used.
    package var reusedConnection: Bool

    /// An answer put together by hand, for transports other than libcurl's.
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
        reusedConnection: Bool = false
    ) {
        self.status = status
        self.reason = reason
        self.httpVersion = httpVersion
        self.headers = headers
        self.body = body
        self.url = url
        self.timings = timings
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.remoteAddress = remoteAddress
        self.reusedConnection = reusedConnection
    }
}
