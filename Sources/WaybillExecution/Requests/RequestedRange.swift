import WaybillTransport

/// The part of the content that a request asks for with `Range` (RFC 9110, section 14.2).
struct RequestedRange: Sendable {
    /// Where a single range of bytes starts.
    private enum Start {
        /// At this byte.
        case position(Int)
        /// At this number of bytes before the end.
        case beforeEnd(Int)
    }

    /// The value of the field.
    let text: String

    /// The range that the fields of a request ask for; `nil` if they have no `Range` with a value.
    init?(_ headers: [HTTPField]) {
        text = headers.filter { $0.isNamed("Range") }.map(\.value).joined(separator: ", ")
        if text.allSatisfy({ $0 == " " || $0 == "\t" }) { return nil }
    }

    /// Whether a part of the content, with this `Content-Range`, may be what was asked for. Other units than bytes, and
    /// several ranges, are not compared.
    func mayStart(_ contentRange: String) -> Bool {
        guard let start else { return true }
        guard let found = ContentRange(contentRange), let bytes = found.bytes else { return false }
        return switch start {
        case .position(let position): bytes.lowerBound == position
        case .beforeEnd(let count): found.total.map { bytes.lowerBound == max(0, $0 - count) } ?? true
        }
    }

    /// The start of a single range of bytes: `bytes=0-9`, `bytes=10-` or `bytes=-5`.
    private var start: Start? {
        let sides = text.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
        guard sides.count == 2, sides[0].lowercased() == "bytes" else { return nil }
        let ends = sides[1].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if let position = Int(ends[0]) { return Int(ends[1]) == nil && !ends[1].isEmpty ? nil : .position(position) }
        return ends[0].isEmpty ? Int(ends[1]).map { .beforeEnd($0) } : nil
    }
}
