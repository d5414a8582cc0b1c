import WaybillFormats

/// The trace that the requests of a run belong to (W3C Trace Context, level 1), and the fields that name it.
package struct TraceContext: Sendable, Equatable {
    /// The id of the trace.
    package let trace: TraceID
    /// The span of another program that the run is part of.
    package let parent: SpanID?
    /// Whether the spans of the trace are recorded.
    package let isSampled: Bool
    /// What other systems add to the trace: the value of `tracestate`.
    package let state: String?

    /// The trace of a run. It continues the one that the environment variables `TRACEPARENT` and `TRACESTATE` name;
    /// otherwise its id is computed from the run's, so that a resumed run has the same one.
    package init(of run: RunID, variables: [String: String] = [:]) {
        if let value = variables["TRACEPARENT"], let parent = TraceParent(value) {
            trace = parent.trace
            self.parent = parent.span
            isSampled = parent.isSampled
            state = variables["TRACESTATE"].flatMap { Self.isState($0) ? $0 : nil }
        } else {
            trace = TraceID(of: run)
            parent = nil
            isSampled = true
            state = nil
        }
    }

    /// Whether a string can be sent as `tracestate`: visible ASCII characters and spaces, as many as everyone must
    /// accept (section 3.3.1).
    private static func isState(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
            && text.utf8.contains(UInt8(ascii: "="))
    }
}

/// The value of a `traceparent` field (W3C Trace Context, section 3.2).
package struct TraceParent: Sendable, Equatable, CustomStringConvertible {
    /// The name of the field.
    package static let fieldName = "traceparent"

    /// The id of the trace.
    package let trace: TraceID
    /// The id of the span that sends the request.
    package let span: SpanID
    /// Whether the span is recorded.
    package let isSampled: Bool

    /// A value with its parts.
    package init(trace: TraceID, span: SpanID, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    /// Parses a value; `nil` if it is not valid. Of a version that is not known yet, only the parts of version 00 are
    /// used.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 || parts.count > 4 && parts[0] != "00", parts[0].isHexadecimal(2), parts[0] != "ff",
            let trace = TraceID(parts[1]), let span = SpanID(parts[2]), parts[3].isHexadecimal(2),
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1)
    }

    /// The value: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    package var description: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }
}

/// The id of a trace: 16 bytes, not all of them zero.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    /// The id as 32 hexadecimal digits.
    package let description: String

    /// The id of a run's own trace: the first half of the SHA-256 digest of the run's name.
    init(of run: RunID) {
        description = String(Digest.sha256(of: Array("waybill \(run)".utf8)).prefix(32))
    }

    init?(_ digits: String) {
        guard digits.isHexadecimal(32), digits.contains(where: { $0 != "0" }) else { return nil }
        description = digits
    }
}

/// The id of a span: 8 bytes, not all of them zero.
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    /// The id as 16 hexadecimal digits.
    package let description: String

    /// An id with a number that is not 0.
    package init(number: UInt64) {
        let digits = String(number, radix: 16)
        description = String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    init?(_ digits: String) {
        guard digits.isHexadecimal(16), digits.contains(where: { $0 != "0" }) else { return nil }
        description = digits
    }

    /// A random id.
    package static func random() -> SpanID { SpanID(number: .random(in: 1...UInt64.max)) }
}

extension String {
    /// Whether the string consists of a number of lower-case hexadecimal digits.
    fileprivate func isHexadecimal(_ count: Int) -> Bool {
        utf8.count == count && utf8.allSatisfy("0123456789abcdef".utf8.contains)
    }
}
