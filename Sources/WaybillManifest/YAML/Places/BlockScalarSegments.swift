import WaybillDiagnostics

/// The parts of a literal or folded scalar: its lines without their indentation, and its line breaks.
///
/// How far the text is indented, and how much of its end is kept, is read off the text that libyaml has made of it.
struct BlockScalarSegments {
    private let bytes: [UInt8]
    private let isFolded: Bool
    private let indent: Int
    private var offset: Int
    /// How many bytes of the text no part stands for yet.
    private var textLeft: Int
    private var segments: [ScalarSegment] = []

    static func of(_ scalar: YAMLScalar) -> [ScalarSegment] {
        var walk = BlockScalarSegments(scalar)
        walk.run()
        return walk.segments
    }

    /// Where a block scalar ends for a reader: with the last line that has anything but blanks in it.
    ///
    /// libyaml's mark also passes the blank lines behind it.
    static func end(of range: Range<Int>, in bytes: [UInt8]) -> Int {
        let header = lineEnd(from: range.lowerBound, in: bytes)
        let last = bytes[range].lastIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } ?? range.lowerBound
        if last >= header { return lineEnd(from: last, in: bytes) }
        // Nothing but the header, of which a comment is no part.
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

    /// The breaks between two lines of text; within a folded paragraph the first is a blank, or nothing before others.
    private mutating func join(_ breaks: [ScalarSegment], isWithinParagraph: Bool) {
        guard isWithinParagraph, let first = breaks.first, first.textLength == 1 else {
            for segment in breaks { add(segment) }
            return
        }
        if breaks.count == 1 { add(first) }
        for segment in breaks.dropFirst() { add(segment) }
    }

    /// The line breaks up to the next line of text, and whether one comes.
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

    /// Adds a part as far as there is text for it: the end may have been chomped.
    private mutating func add(_ segment: ScalarSegment) {
        guard textLeft > 0, segment.textLength > 0 else { return }
        var segment = segment
        if segment.textLength > textLeft {
            segment = .verbatim(segment.source.lowerBound..<segment.source.lowerBound + textLeft)
        }
        textLeft -= segment.textLength
        segments.append(segment)
    }

    /// How many spaces the lines lack in the text: seen at the first line that is not empty there.
    ///
    /// Up to that line, lines of text and source correspond one to one, folded or not. A text of line breaks alone is
    /// indented by nothing that matters.
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
