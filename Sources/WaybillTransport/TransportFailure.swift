/// Why a request received no response.
package struct TransportFailure: Error, Sendable, Equatable {
    /// The kinds of failure that a transport can report.
    package enum Kind: String, Sendable {
        /// The host's name could not be resolved.
        case dns
        /// No TCP connection could be established.
        case connect
        /// The TLS handshake failed, or the peer's certificate was refused.
        case tls
        /// The request's `timeout` or `connectTimeout` passed; `phase` is what the transfer was doing.
        case timeout
        /// Anything else: a request that must not be sent, a broken connection or response, a response that is too
        /// large.
        case transfer
        /// The task was cancelled, or the transport was shut down.
        case cancelled
    }

    /// How far a transfer got.
    package enum Phase: String, Sendable {
        /// Not started: refused, or waiting for a free connection.
        case waiting
        /// Looking up the host's name.
        case resolving
        /// Making the TCP connection.
        case connecting
        /// In the TLS handshake.
        case securing
        /// Sending the request.
        case sending
        /// Sent, without a byte of a response yet.
        case awaitingResponse
        /// Receiving the response.
        case receiving
    }

    /// The kind of failure.
    package var kind: Kind
    /// How far the transfer got before it failed.
    package var phase = Phase.waiting
    /// libcurl's `CURLcode`, or the closest match if the failure is not libcurl's: 63 (`CURLE_FILESIZE_EXCEEDED`) for a
    /// body over its limit, 100 (`CURLE_TOO_LARGE`) for a header over its limit, 42 (`CURLE_ABORTED_BY_CALLBACK`) for a
    /// request that was cancelled or not sent a second time, 90 (`CURLE_SSL_PINNEDPUBKEYNOTMATCH`) for a server that
    /// matches no pin, 47 (`CURLE_TOO_MANY_REDIRECTS`), 26 (`CURLE_READ_ERROR`) for a file that cannot be read, 3
    /// (`CURLE_URL_MALFORMAT`), 1 (`CURLE_UNSUPPORTED_PROTOCOL`) or 43 (`CURLE_BAD_FUNCTION_ARGUMENT`) for a request
    /// that must not be sent.
    package var code: Int32
    /// A description for the user, without a full stop. It names the host and port and no other part of the request.
    package var message: String
    /// How long the phases took until the failure.
    package var timings = TransferTimings.zero
    /// Whether the request, or a part of it, may have reached the server.
    package var wasSent = false
    /// How often the request was sent again because the nonce of its digest credentials was stale.
    package var repetitions = 0
}

extension TransportFailure: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
