/// How long the parts of a transfer took, in libcurl's microseconds. A part that was not reached or not needed (the
/// first three on a connection that was kept) is zero.
package struct TransferTimings: Sendable, Hashable {
    /// Looking up the name.
    package var dns: Duration
    /// Connecting, from the end of the look-up to the established TCP connection.
    package var connect: Duration
    /// The TLS handshake, from the established TCP connection on.
    package var tls: Duration
    /// From the start of the transfer to the first byte of the response.
    package var firstByte: Duration
    /// From the start of the transfer to its end. Waiting for a free connection is not in it.
    package var total: Duration

    /// Puts timings together.
    package init(dns: Duration, connect: Duration, tls: Duration, firstByte: Duration, total: Duration) {
        self.dns = dns
        self.connect = connect
        self.tls = tls
        self.firstByte = firstByte
        self.total = total
    }

    /// The timings of what never started.
    package static let zero = TransferTimings(dns: .zero, connect: .zero, tls: .zero, firstByte: .zero, total: .zero)
}
