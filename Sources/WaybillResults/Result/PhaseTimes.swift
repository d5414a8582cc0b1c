/// The duration of a request and its phases.
public struct PhaseTimes: Sendable, Equatable {
    /// From the start of the transfer to the last byte of the response.
    public var total: Duration
    /// Looking up the host name; `nil`, like the next two, if a connection was reused.
    public var dns: Duration?
    /// Connecting, after the lookup.
    public var connect: Duration?
    /// The TLS handshake.
    public var tls: Duration?
    /// From the start of the transfer to the first byte of the response.
    public var firstByte: Duration?

    /// Creates times from those that are known. A reused connection has no `dns`, `connect` and `tls`.
    public init(
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

extension Duration {
    /// The duration in milliseconds, or in seconds if it is ten seconds or more: `48 ms`, `12.5 s`.
    package var timeText: String {
        let milliseconds = self / .milliseconds(1)
        // The duration is negative if the clock was set back, or if a file contains such times.
        if milliseconds < 0 { return "0 ms" }
        if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
        return milliseconds < 10_000 ? "\(Int(milliseconds.rounded())) ms" : "\((milliseconds / 100).rounded() / 10) s"
    }
}

extension PhaseTimes: CustomStringConvertible {
    /// `12 ms (dns 1 ms, connect 2 ms, first byte 11 ms)`
    public var description: String {
        let phases = [("dns", dns), ("connect", connect), ("tls", tls), ("first byte", firstByte)]
        let known = phases.compactMap { name, time in time.map { "\(name) \($0.timeText)" } }
        return total.timeText + (known.isEmpty ? "" : " (\(known.joined(separator: ", ")))")
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
    public var sent: Int
    /// The bytes received.
    public var received: Int

    /// Creates counts for both directions.
    public init(sent: Int = 0, received: Int = 0) {
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
