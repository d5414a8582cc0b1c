package import WaybillDiagnostics

/// A part of a scalar's string and the part of the file that it was read from.
struct ScalarSegment: Equatable {
    /// The number of bytes of the string.
    var textLength: Int
    /// The bytes of the file: the same ones if `isVerbatim`, otherwise an escape or a fold that produces the string.
    var source: Range<Int>
    /// Whether the string and the source are the same bytes.
    var isVerbatim: Bool

    /// Returns a segment whose bytes are the string itself.
    static func verbatim(_ source: Range<Int>) -> ScalarSegment {
        ScalarSegment(textLength: source.count, source: source, isVerbatim: true)
    }

    /// Returns a segment whose bytes produce a different string.
    static func replaced(_ source: Range<Int>, textLength: Int) -> ScalarSegment {
        ScalarSegment(textLength: textLength, source: source, isVerbatim: false)
    }
}

extension YAMLScalar {
    /// Returns the span in the file of a range of the bytes of `text`, through escapes, folds and indentation.
    ///
    /// The source is read again, which takes time linear in the length of the scalar; use it for diagnostics only. A
    /// range in an escape yields the whole escape. A range beyond the end is clamped.
    package func span(ofUTF8 range: Range<Int>) -> SourceSpan {
        let count = text.utf8.count
        let wanted = range.clamped(to: 0..<count)
        if wanted.isEmpty {
            let offset = min(max(range.lowerBound, 0), count)
            let place = place(ofTextOffset: offset)
            return span.file.span(place..<place)
        }
        var lower: Int?
        var textOffset = 0
        for segment in segments {
            let textEnd = textOffset + segment.textLength
            if lower == nil, wanted.lowerBound < textEnd {
                lower = segment.source.lowerBound + (segment.isVerbatim ? wanted.lowerBound - textOffset : 0)
            }
            if let lower, wanted.upperBound <= textEnd {
                let upper =
                    segment.isVerbatim
                    ? segment.source.lowerBound + wanted.upperBound - textOffset : segment.source.upperBound
                return span.file.span(lower..<upper)
            }
            textOffset = textEnd
        }
        return span
    }

    /// Returns the location before the byte of the string at an offset, or after the last byte.
    private func place(ofTextOffset offset: Int) -> Int {
        var textOffset = 0
        var end = style == .singleQuoted || style == .doubleQuoted ? span.range.lowerBound + 1 : span.range.lowerBound
        for segment in segments {
            let textEnd = textOffset + segment.textLength
            if offset < textEnd {
                return segment.source.lowerBound + (segment.isVerbatim ? offset - textOffset : 0)
            }
            (textOffset, end) = (textEnd, segment.source.upperBound)
        }
        return end
    }

    /// The parts of the string, in order.
    var segments: [ScalarSegment] {
        // A null that replaces an unknown alias has a location but no content.
        if text.isEmpty { return [] }
        return switch style {
        case .plain, .singleQuoted, .doubleQuoted: FlowScalarSegments.of(self)
        case .literal, .folded: BlockScalarSegments.of(self)
        }
    }
}

/// Line breaks as libyaml recognizes them.
enum LineBreak {
    /// Returns the length of the line break at an offset, in the file and in the resulting string; `nil` if there is
    /// none.
    static func at(_ offset: Int, in bytes: [UInt8]) -> (source: Int, text: Int)? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case 0x0A:
            return (1, 1)
        case 0x0D:
            return (offset + 1 < bytes.count && bytes[offset + 1] == 0x0A ? 2 : 1, 1)
        default:
            return nil
        }
    }
}

/// The parts of a plain or quoted scalar: verbatim runs, escapes, and folded line breaks.
struct FlowScalarSegments {
    private let bytes: [UInt8]
    private let style: YAMLScalar.Style
    private let end: Int
    private var offset: Int
    private var segments: [ScalarSegment] = []

    static func of(_ scalar: YAMLScalar) -> [ScalarSegment] {
        var walk = FlowScalarSegments(scalar)
        while walk.offset < walk.end { walk.step() }
        return walk.segments
    }

    private init(_ scalar: YAMLScalar) {
        bytes = scalar.span.file.bytes
        style = scalar.style
        let quote = style == .plain ? 0 : 1
        offset = scalar.span.range.lowerBound + quote
        end = scalar.span.range.upperBound - quote
    }

    private mutating func step() {
        switch bytes[offset] {
        case UInt8(ascii: "'") where style == .singleQuoted:
            take(2, textLength: 1)
        case UInt8(ascii: "\\") where style == .doubleQuoted:
            escape()
        default:
            if isBlank(offset) || LineBreak.at(offset, in: bytes) != nil { blanks() } else { run() }
        }
    }

    /// Adds the bytes up to the next one that can have a special meaning.
    private mutating func run() {
        let start = offset
        repeat { offset += 1 } while offset < end && !isSpecial(offset)
        add(.verbatim(start..<offset))
    }

    private func isSpecial(_ offset: Int) -> Bool {
        switch bytes[offset] {
        case UInt8(ascii: "'"): style == .singleQuoted
        case UInt8(ascii: "\\"): style == .doubleQuoted
        default: isBlank(offset) || LineBreak.at(offset, in: bytes) != nil
        }
    }

    private func isBlank(_ offset: Int) -> Bool {
        bytes[offset] == 0x20 || bytes[offset] == 0x09
    }

    /// Adds blanks. Within a line they are kept; around a line break they are removed, and the break is folded.
    private mutating func blanks() {
        let start = offset
        while offset < end, isBlank(offset) { offset += 1 }
        guard offset < end, let first = LineBreak.at(offset, in: bytes) else {
            add(.verbatim(start..<offset))
            return
        }
        let firstBreak = offset..<offset + first.source
        offset = firstBreak.upperBound
        let others = followingBreaks()
        if first.text > 1 {
            add(.replaced(firstBreak, textLength: first.text))
        } else if others.isEmpty {
            add(.replaced(start..<offset, textLength: 1))
        }
        for other in others { add(other) }
    }

    /// Returns the line breaks after a first one, and skips the blanks around them.
    private mutating func followingBreaks() -> [ScalarSegment] {
        var breaks: [ScalarSegment] = []
        while offset < end {
            if let lineBreak = LineBreak.at(offset, in: bytes) {
                breaks.append(.replaced(offset..<offset + lineBreak.source, textLength: lineBreak.text))
                offset += lineBreak.source
            } else if isBlank(offset) {
                offset += 1
            } else {
                break
            }
        }
        return breaks
    }

    private mutating func escape() {
        if let lineBreak = LineBreak.at(offset + 1, in: bytes) {
            offset += 1 + lineBreak.source
            for other in followingBreaks() { add(other) }
            return
        }
        guard offset + 1 < end else { return take(1, textLength: 1) }
        switch bytes[offset + 1] {
        case UInt8(ascii: "x"): codePoint(digits: 2)
        case UInt8(ascii: "u"): codePoint(digits: 4)
        case UInt8(ascii: "U"): codePoint(digits: 8)
        case UInt8(ascii: "N"), UInt8(ascii: "_"): take(2, textLength: 2)  // U+0085, U+00A0
        case UInt8(ascii: "L"), UInt8(ascii: "P"): take(2, textLength: 3)  // U+2028, U+2029
        default: take(2, textLength: 1)
        }
    }

    private mutating func codePoint(digits: Int) {
        let text = String(decoding: bytes[(offset + 2)..<min(offset + 2 + digits, end)], as: UTF8.self)
        let scalar = UInt32(text, radix: 16).flatMap { Unicode.Scalar($0) }
        take(2 + digits, textLength: scalar.map { UTF8.width($0) } ?? 1)
    }

    private mutating func take(_ length: Int, textLength: Int) {
        let start = offset
        offset = min(offset + length, end)
        add(.replaced(start..<offset, textLength: textLength))
    }

    /// Adds a segment, joined with the last one if both are verbatim and adjacent.
    private mutating func add(_ segment: ScalarSegment) {
        if segment.isVerbatim, let last = segments.last, last.isVerbatim,
            last.source.upperBound == segment.source.lowerBound
        {
            segments[segments.count - 1] = .verbatim(last.source.lowerBound..<segment.source.upperBound)
        } else {
            segments.append(segment)
        }
    }
}

/// The parts of a literal or folded scalar: its lines without their indentation, and its line breaks.
///
/// The indentation of the lines, and how many line breaks are kept at the end, are derived from the string that libyaml
/// produced.
struct BlockScalarSegments {
    private let bytes: [UInt8]
    private let isFolded: Bool
    private let indent: Int
    private var offset: Int
    /// The number of bytes of the string that no segment covers yet.
    private var textLeft: Int
    private var segments: [ScalarSegment] = []

    static func of(_ scalar: YAMLScalar) -> [ScalarSegment] {
        var walk = BlockScalarSegments(scalar)
        walk.run()
        return walk.segments
    }

    /// Returns where a block scalar ends for a reader: after the last line that is not blank.
    ///
    /// libyaml's mark also includes the blank lines after it.
    static func end(of range: Range<Int>, in bytes: [UInt8]) -> Int {
        let header = lineEnd(from: range.lowerBound, in: bytes)
        let last = bytes[range].lastIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } ?? range.lowerBound
        if last >= header { return lineEnd(from: last, in: bytes) }
        // Only the header, which does not include a comment.
        return bytes[range].firstIndex { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D } ?? range.upperBound
    }

    private init(_ scalar: YAMLScalar) {
        bytes = scalar.span.file.bytes
        isFolded = scalar.style == .folded
        let header = Self.lineEnd(from: scalar.span.range.lowerBound, in: bytes)
        offset = header + (LineBreak.at(header, in: bytes)?.source ?? 0)
        textLeft = scalar.text.utf8.count
        indent = Self.indent(of: scalar.text, from: offset, in: bytes)
    }

    private mutating func run() {
        var breaks = leadingBreaks()
        var wasBlank = true
        while textLeft > 0, breaks.endsAtContent {
            let isBlank = bytes[offset] == 0x20 || bytes[offset] == 0x09
            join(breaks.found, isWithinParagraph: isFolded && !wasBlank && !isBlank)
            let start = offset
            offset = Self.lineEnd(from: offset, in: bytes)
            add(.verbatim(start..<offset))
            wasBlank = isBlank
            breaks = leadingBreaks()
        }
        for segment in breaks.found { add(segment) }
    }

    /// Adds the breaks between two lines. In a folded paragraph, the first break becomes a space, or nothing if others
    /// follow.
    private mutating func join(_ breaks: [ScalarSegment], isWithinParagraph: Bool) {
        guard isWithinParagraph, let first = breaks.first, first.textLength == 1 else {
            for segment in breaks { add(segment) }
            return
        }
        if breaks.count == 1 { add(first) }
        for segment in breaks.dropFirst() { add(segment) }
    }

    /// Returns the line breaks up to the next line of content, and whether there is such a line.
    private mutating func leadingBreaks() -> (found: [ScalarSegment], endsAtContent: Bool) {
        var found: [ScalarSegment] = []
        while true {
            var column = 0
            while column < indent, offset < bytes.count, bytes[offset] == 0x20 {
                offset += 1
                column += 1
            }
            if !appendBreak(to: &found) { return (found, column == indent && offset < bytes.count) }
        }
    }

    private mutating func appendBreak(to found: inout [ScalarSegment]) -> Bool {
        guard let lineBreak = LineBreak.at(offset, in: bytes) else { return false }
        found.append(.replaced(offset..<offset + lineBreak.source, textLength: lineBreak.text))
        offset += lineBreak.source
        return true
    }

    /// Adds a segment, cut to the remaining string: the end may have been chomped.
    private mutating func add(_ segment: ScalarSegment) {
        guard textLeft > 0, segment.textLength > 0 else { return }
        var segment = segment
        if segment.textLength > textLeft {
            segment = .verbatim(segment.source.lowerBound..<segment.source.lowerBound + textLeft)
        }
        textLeft -= segment.textLength
        segments.append(segment)
    }

    /// Returns the number of spaces of indentation, which are not part of the string. It is determined at the first
    /// line that is not empty in the string.
    ///
    /// Up to that line, the lines of the string and of the source correspond one to one, folded or not. The indentation
    /// of a string that consists only of line breaks does not matter.
    private static func indent(of text: String, from start: Int, in bytes: [UInt8]) -> Int {
        var offset = start
        var rest = text.utf8[...]
        while let lineBreak = LineBreak.at(0, in: Array(rest.prefix(3))) {
            rest = rest.dropFirst(lineBreak.text)
            offset = lineEnd(from: offset, in: bytes)
            offset += LineBreak.at(offset, in: bytes)?.source ?? 0
        }
        guard !rest.isEmpty, offset < bytes.count else { return Int.max }
        let inSource = bytes[offset...].prefix { $0 == 0x20 }.count
        let inText = rest.prefix { $0 == 0x20 }.count
        return max(0, inSource - inText)
    }

    private static func lineEnd(from start: Int, in bytes: [UInt8]) -> Int {
        var offset = start
        while offset < bytes.count, LineBreak.at(offset, in: bytes) == nil { offset += 1 }
        return offset
    }
}
