/// How long a request and its phases took.
package struct PhaseTimes: Sendable, Equatable {
    /// From the start of the transfer to the last byte of the response.
    package var total: Duration
    /// Looking up the host's name.
    package var dns: Duration?
    /// Connecting, behind the look-up.
    package var connect: Duration?
    /// The TLS handshake.
    package var tls: Duration?
    /// From the start of the transfer to the first byte of the response.
    package var firstByte: Duration?

    /// The times that are known; a connection used again has no `dns`, `connect` and `tls`.
    package init(
        total: Duration,
        dns: Duration? = nil,
        connect: Duration? = nil,
        tls: Duration? = nil,
        firstByte: Duration? = nil
    ) {
        self.total = total
        self.dns = dns
        self.connect = connect
        self.tls = tls
        self.firstByte = firstByte
    }

}

extension PhaseTimes: JSONStreamable {
    /// `{total, dns, connect, tls, firstByte}` in milliseconds, without what is unknown.
    package func addMembers(to object: inout JSONStream) {
        object.add("total", milliseconds: total)
        object.add("dns", milliseconds: dns)
        object.add("connect", milliseconds: connect)
        object.add("tls", milliseconds: tls)
        object.add("firstByte", milliseconds: firstByte)
    }
}

/// How many bytes of messages went over the wire, heads included, before any decompression.
package struct ByteCounts: Sendable, Equatable {
    /// Bytes that were sent.
    package var sent: Int
    /// Bytes that were received.
    package var received: Int

    /// Counts of both directions.
    package init(sent: Int = 0, received: Int = 0) {
        self.sent = sent
        self.received = received
    }

}

extension ByteCounts: JSONStreamable {
    /// `{sent, received}`
    package func addMembers(to object: inout JSONStream) {
        object.add("sent", sent)
        object.add("received", received)
    }
}
