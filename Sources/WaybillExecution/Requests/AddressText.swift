import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillResults

/// A path or URL in which each `${…}` is evaluated and percent-encoded: in the path as one segment, or a part of one,
/// and likewise elsewhere.
///
/// A value marked with `raw()`, or one that is the whole address, may contain a path and a query: only characters that an
/// address cannot contain are encoded in it.
///
/// Any other value never changes which segments a path has: an empty segment, `.` and `..` are rejected, because a
/// server may treat even encoded dots as a step to another folder (RFC 3986, sections 3.3 and 6.2.2.3). Literal parts
/// are sent as the manifest has them.
struct AddressText {
    /// The address as it is sent.
    private(set) var text = ""
    /// Whether it is an absolute URL.
    private(set) var isURL: Bool
    /// The values in it that contain a secret, and the parts of the address around them: a short value is found only if
    /// it is a whole part.
    private(set) var secrets: [String] = []

    /// The segment at the end of the address.
    private struct Segment {
        /// The offset of its first byte.
        var start = 0
        /// The range of the last `${…}` in it.
        var expression: Range<Int>?
        /// Whether its value is marked with `raw()`, and so may be empty.
        var isRaw = false
    }

    private var bytes: [UInt8] = []
    private var segment = Segment()
    private var slashesBeforePath = 0
    private var isInPath = true

    /// Creates a path from text that is encoded already.
    init(path: String) {
        isURL = false
        text = path
    }

    /// Appends a part of a path that is encoded already.
    mutating func append(path: String, isSecret: Bool = false) {
        text += path
        if isSecret { secrets.append(path) }
    }

    /// Evaluates an address. A `${…}` at the start of a URL is the URL, or its first part, and is encoded like a
    /// literal.
    init(_ address: Address, in scope: EvaluationScope) throws(EvaluationFailure) {
        isURL = if case .url = address { true } else { false }
        let scalar = address.text.value
        guard let holder = scalar.template else {
            text = PercentEncoding.literal(scalar.constantText ?? "")
            return
        }
        let template = holder.template
        var pieces: [ScopeText] = []
        do {
            let whole = try template.text(in: scope) { piece in
                pieces.append(piece)
                return piece.text
            }
            if case .computed = address { isURL = try Self.isURL(whole.text, from: template) }
            // The slashes of `https://host/`.
            slashesBeforePath = isURL ? 3 : 0
            secrets = pieces.filter(\.isSecret).map(\.text)
            var values = pieces[...]
            var secretRanges: [Range<Int>] = []
            for (index, part) in template.parts.enumerated() {
                switch part {
                case .literal(let literal):
                    try append(PercentEncoding.literal(literal))
                case .expression(let embedded):
                    guard let piece = values.popFirst() else { continue }
                    let start = bytes.count
                    defer {
                        if piece.isSecret, !piece.text.isEmpty, ShortSecrets.contains(piece.text) {
                            secretRanges.append(start..<bytes.count)
                        }
                    }
                    if index == 0 && isURL {
                        try append(PercentEncoding.literal(piece.text))
                    } else {
                        // Like a value marked with raw(), one that is the whole address has its own slashes and query.
                        let isRaw = piece.isRaw || template.parts.count == 1
                        let encoded =
                            isRaw ? PercentEncoding.pathAndQuery(piece.text) : PercentEncoding.component(piece.text)
                        segment.expression = embedded.range
                        segment.isRaw = isRaw
                        try append(encoded, from: embedded.range)
                    }
                }
            }
            try endSegment()
            text = String(decoding: bytes, as: UTF8.self)
            secrets += secretRanges.map(part)
        } catch {
            throw EvaluationFailure(message: error.message, span: holder.span(of: error.range))
        }
    }

    /// Whether the evaluated value of a short form is a URL and not a path.
    private static func isURL(_ text: String, from template: Template) throws(EvaluationError) -> Bool {
        switch WrittenAddress(text).target {
        case .url: return true
        case .path, .unknown: return false
        case .invalid(let error):
            throw EvaluationError(.value, error.message, at: template.expressions.first?.range ?? 0..<0)
        }
    }

    /// Returns the message for a string that cannot be a path segment.
    static func climbing(_ text: String) -> String {
        "'\(text)' cannot be a segment of a path: it would lead to another folder"
    }

    /// Returns the path segment, query parameter or other part of the address around a range.
    private func part(around range: Range<Int>) -> String {
        let delimiters = Set("/?#&".utf8)
        let start = bytes[..<range.lowerBound].lastIndex { delimiters.contains($0) || $0 == UInt8(ascii: "=") }
        let end = bytes[range.upperBound...].firstIndex(where: delimiters.contains) ?? bytes.endIndex
        return String(decoding: bytes[(start.map { $0 + 1 } ?? 0)..<end], as: UTF8.self)
    }

    private mutating func append(_ piece: String, from range: Range<Int>? = nil) throws(EvaluationError) {
        for byte in piece.utf8 {
            defer { bytes.append(byte) }
            guard isInPath else { continue }
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                try endSegment()
                isInPath = false
            case UInt8(ascii: "/"):
                try endSegment()
                slashesBeforePath = max(0, slashesBeforePath - 1)
                // The rest of a value with slashes is in the next segment.
                segment = Segment(start: bytes.count + 1, expression: range, isRaw: range != nil)
            default: break
            }
        }
    }

    private mutating func endSegment() throws(EvaluationError) {
        guard isInPath, slashesBeforePath == 0, let range = segment.expression else { return }
        let text = bytes[segment.start...]
        if text.isEmpty, !segment.isRaw {
            throw EvaluationError(
                .value,
                "this is empty, which would remove a segment from the path and change the address",
                at: range
            )
        }
        if Self.isOneOrTwoDots(text) {
            throw EvaluationError(.value, Self.climbing(String(decoding: text, as: UTF8.self)), at: range)
        }
    }

    /// Whether a segment is `.` or `..`. A dot and its encoding are the same (section 6.2.2.2).
    private static func isOneOrTwoDots(_ segment: ArraySlice<UInt8>) -> Bool {
        var rest = segment
        var dots = 0
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, rest.first == UInt8(ascii: "2"),
                rest[rest.startIndex + 1] | 0x20 == UInt8(ascii: "e")
            {
                rest = rest.dropFirst(2)
            } else if byte != UInt8(ascii: ".") {
                return false
            }
            dots += 1
            if dots > 2 { return false }
        }
        return dots > 0
    }
}
