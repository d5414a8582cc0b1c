/// The duration of a request and its phases.
public struct PhaseTimes: Sendable, Equatable {
    /// From the start of the transfer to the last byte of the response.
    public package(set) var total: Duration
    /// Looking up the host name; `nil`, like the next two, if a connection was reused.
    public package(set) var dns: Duration?
    /// Connecting, after the lookup.
    public package(set) var connect: Duration?
    /// The TLS handshake.
    public package(set) var tls: Duration?
    /// From the start of the transfer to the first byte of the response.
    public package(set) var firstByte: Duration?

    /// Creates times from those that are known. A reused connection has no `dns`, `connect` and `tls`.
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
    /// Writes `{total, dns, connect, tls, firstByte}` in milliseconds, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("total", milliseconds: total)
        object.add("dns", milliseconds: dns)
        object.add("connect", milliseconds: connect)
        object.add("tls", milliseconds: tls)
        object.add("firstByte", milliseconds: firstByte)
    }
}

/// The number of bytes transmitted in messages, including header sections, before any decompression.
public struct ByteCounts: Sendable, Equatable {
    /// The bytes sent.
    public package(set) var sent: Int
    /// The bytes received.
    public package(set) var received: Int

    /// Creates counts for both directions.
    package init(sent: Int = 0, received: Int = 0) {
        self.sent = sent
        self.received = received
    }
}

extension ByteCounts: JSONStreamable {
    /// Writes `{sent, received}`.
    package func addMembers(to object: inout JSONStream) {
        object.add("sent", sent)
        object.add("received", received)
    }
}
