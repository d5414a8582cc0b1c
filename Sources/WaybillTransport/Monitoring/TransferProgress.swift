/// How far a transfer has come, in bytes of bodies as they travel, before decoding.
package struct TransferProgress: Sendable, Hashable {
    /// Bytes sent.
    package var sent: Int
    /// Bytes to send.
    package var sentTotal: Int
    /// Bytes received.
    package var received: Int
    /// Bytes to receive; nil when the response does not say, or is not there yet.
    package var receivedTotal: Int?
}
