import WaybillFormats
import WaybillResults

extension Run {
    /// A moment on the wall clock, in UTC.
    public struct Moment: Sendable, Hashable, Comparable, CustomStringConvertible {
        private let timestamp: Timestamp

        init(_ timestamp: Timestamp) {
            self.timestamp = timestamp
        }

        /// Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
        public var nanosecondsSince1970: Int64 { timestamp.nanoseconds }

        /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted: what `Date(timeIntervalSince1970:)` takes.
        public var secondsSince1970: Double { Double(timestamp.nanoseconds) / 1e9 }

        /// The moment as RFC 3339 writes it, to the millisecond: `2026-11-21T05:27:03.041Z`.
        public var description: String { timestamp.description }

        /// Whether a moment is before another.
        public static func < (left: Moment, right: Moment) -> Bool { left.timestamp < right.timestamp }
    }

    /// How long a request and its phases took.
    public struct Times: Sendable, Equatable {
        /// From the start of the transfer to the last byte of the response.
        public let total: Duration
        /// Looking up the host's name; `nil`, like the next two, where a connection was used again.
        public let dns: Duration?
        /// Connecting, behind the look-up.
        public let connect: Duration?
        /// The TLS handshake.
        public let tls: Duration?
        /// From the start of the transfer to the first byte of the response.
        public let firstByte: Duration?

        init(_ times: PhaseTimes) {
            total = times.total
            dns = times.dns
            connect = times.connect
            tls = times.tls
            firstByte = times.firstByte
        }
    }

    /// How many bytes of messages travelled, heads included, and before any decompression.
    public struct Bytes: Sendable, Equatable {
        /// Bytes that were sent.
        public let sent: Int
        /// Bytes that were received.
        public let received: Int

        init(_ counts: ByteCounts) {
            sent = counts.sent
            received = counts.received
        }
    }
}
