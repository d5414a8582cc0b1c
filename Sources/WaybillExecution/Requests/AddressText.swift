import WaybillData
import WaybillManifest

/// A path or URL with each `${…}` in it evaluated and percent-encoded: in the path as one segment, or a part of one, and
/// elsewhere likewise.
///
/// A value never changes which segments a path has: one that would be empty, or `.` or `..`, is refused, since no encoding
/// keeps those from being taken for a step to another folder (RFC 3986, sections 3.3 and 6.2.2.3). What is written in the
/// manifest is sent as it is written.
struct AddressText {
    /// The text, as it is sent.
    private(set) var text = ""
    /// Values in it that secrets took part in.
    private(set) var secrets: [String] = []

    /// What a segment is made of.
    private struct Segment {
        var text: [UInt8] = []
        /// The last `${…}` in it.
        var expression: Range<Int>?
        /// Whether that is the value of `raw()`, and so may be empty.
        var isRaw = false
    }

    private var segment = Segment()
    private var slashesBeforePath: Int
    private var isInPath = true

    /// Evaluates an address. A `${…}` that a URL begins with is the URL, or its beginning, and is not encoded.
    init(_ scalar: ScalarTemplate, isURL: Bool, in scope: EvaluationScope) throws(EvaluationProblem) {
        // Those of `https://host/`.
        slashesBeforePath = isURL ? 3 : 0
        guard let holder = scalar.template else {
            text = PercentEncoding.literal(scalar.constantText ?? "")
            return
        }
        let template = holder.template
        var pieces: [ScopeText] = []
        do {
            _ = try template.text(in: scope) { piece in
                pieces.append(piece)
                return piece.text
            }
            secrets = pieces.filter(\.isSecret).map(\.text)
            var values = pieces[...]
            for (index, part) in template.parts.enumerated() {
                switch part {
                case .literal(let literal):
                    try append(PercentEncoding.literal(literal))
                case .expression(let embedded):
                    guard let piece = values.popFirst() else { continue }
                    if index == 0 && isURL {
                        try append(PercentEncoding.literal(piece.text))
                    } else {
                        let encoded = PercentEncoding.component(piece.text, keepingSlashes: piece.isRaw)
                        segment.expression = embedded.range
                        segment.isRaw = piece.isRaw
                        try append(encoded, from: embedded.range)
                    }
                }
            }
            try endSegment()
        } catch {
            throw EvaluationProblem(message: error.message, span: holder.span(of: error.range))
        }
    }

    /// Why a text cannot be a segment.
    static func climbing(_ text: String) -> String {
        "'\(text)' cannot be a segment of a path: it would lead to another folder"
    }

    private mutating func append(_ piece: String, from range: Range<Int>? = nil) throws(EvaluationError) {
        text += piece
        for byte in piece.utf8 where isInPath {
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                try endSegment()
                isInPath = false
            case UInt8(ascii: "/"):
                try endSegment()
                slashesBeforePath = max(0, slashesBeforePath - 1)
                // The rest of a value with slashes is in the next segment.
                segment.expression = range
                segment.isRaw = range != nil
            default:
                segment.text.append(byte)
            }
        }
    }

    private mutating func endSegment() throws(EvaluationError) {
        defer { segment = Segment() }
        // None of those that are refused is longer than `%2e%2e`.
        guard isInPath, slashesBeforePath == 0, let range = segment.expression, segment.text.count <= 6 else { return }
        // A dot and its encoding are the same (section 6.2.2.2).
        let segmentText = String(decoding: segment.text, as: UTF8.self)
        switch segmentText.replacing("%2e", with: ".").replacing("%2E", with: ".") {
        case ".", "..":
            throw EvaluationError(.value, Self.climbing(segmentText), at: range)
        case "" where !segment.isRaw:
            throw EvaluationError(
                .value,
                "this is empty, and would leave a segment of the path out: the address would be another one",
                at: range
            )
        default: break
        }
    }
}
