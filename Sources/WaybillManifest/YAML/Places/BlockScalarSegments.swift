import WaybillDiagnostics

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
