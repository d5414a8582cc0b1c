import WaybillFormats
import WaybillResults

extension Run {
    /// A point in time on the wall clock, in UTC.
    public struct Moment: Sendable, Hashable, Comparable, CustomStringConvertible {
        private let timestamp: Timestamp

        init(_ timestamp: Timestamp) {
            self.timestamp = timestamp
        }

        /// Nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
        public var nanosecondsSince1970: Int64 { timestamp.nanoseconds }

        /// Seconds since 1970-01-01T00:00:00Z, without leap seconds, as `Date(timeIntervalSince1970:)` takes them.
        public var secondsSince1970: Double { Double(timestamp.nanoseconds) / 1e9 }

        /// The time in the format of RFC 3339, to the millisecond: `2026-11-21T05:27:03.041Z`.
        public var description: String { timestamp.description }

        /// Whether a point in time is before another.
        public static func < (left: Moment, right: Moment) -> Bool { left.timestamp < right.timestamp }
    }

    /// How long a request and its phases took.
    public struct Times: Sendable, Equatable {
        /// From the start of the transfer to the last byte of the response.
        public let total: Duration
        /// Resolving the host's name; `nil`, like the next two, if a connection was reused.
        public let dns: Duration?
        /// Connecting, after the name was resolved.
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

    /// The number of bytes of messages that were transferred, including headers, before decompression.
    public struct Bytes: Sendable, Equatable {
        /// The number of bytes sent.
        public let sent: Int
        /// The number of bytes received.
        public let received: Int

        init(_ counts: ByteCounts) {
            sent = counts.sent
            received = counts.received
        }
    }
}
