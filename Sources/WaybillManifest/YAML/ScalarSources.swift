import Synchronization
package import WaybillDiagnostics

extension YAMLScalar {
    /// Returns the span in the file of a range of the bytes of `text`, through escapes, folds and indentation.
    ///
    /// The source is read again, which takes time linear in the length of the scalar; use it for diagnostics only. A
    /// range in an escape yields the whole escape. A range beyond the end is clamped.
    package func span(ofUTF8 range: Range<Int>) -> SourceSpan {
        // A null that replaces an unknown alias has a location but no content.
        let ranges = text.isEmpty ? [] : ScalarSources.ranges(of: self)
        let wanted = range.clamped(to: 0..<text.utf8.count)
        if wanted.isEmpty {
            let isQuoted = style == .singleQuoted || style == .doubleQuoted
            let start = span.range.lowerBound + (isQuoted ? 1 : 0)
            let offset = min(max(range.lowerBound, 0), text.utf8.count)
            let location = offset < ranges.count ? ranges[offset].lowerBound : ranges.last?.upperBound ?? start
            return span.file.span(location..<location)
        }
        guard wanted.upperBound <= ranges.count else { return span }
        return span.file.span(ranges[wanted.lowerBound].lowerBound..<ranges[wanted.upperBound - 1].upperBound)
    }
}

/// For each byte of a scalar's string, the bytes of the file that it was read from: the same byte, or the escape or
/// the line break that produces it.
struct ScalarSources {
    private let bytes: [UInt8]
    private let style: YAMLScalar.Style
    private var offset: Int
    private let end: Int
    private var ranges: [Range<Int>] = []

    /// The ranges of the last scalar: each of thousands of errors may be in the same one.
    private static let last = Mutex<(span: SourceSpan, ranges: [Range<Int>])?>(nil)

    /// Returns the ranges of all bytes of the string, unless the source has fewer.
    static func ranges(of scalar: YAMLScalar) -> [Range<Int>] {
        if let last = last.withLock({ $0 }), last.span == scalar.span { return last.ranges }
        let ranges = readRanges(of: scalar)
        last.withLock { $0 = (scalar.span, ranges) }
        return ranges
    }

    private static func readRanges(of scalar: YAMLScalar) -> [Range<Int>] {
        var sources = ScalarSources(scalar)
        switch scalar.style {
        case .plain, .singleQuoted, .doubleQuoted: while sources.offset < sources.end { sources.readFlow() }
        case .literal, .folded: sources.readBlock(scalar.text)
        }
        return sources.ranges
    }

    private init(_ scalar: YAMLScalar) {
        bytes = scalar.span.file.bytes
        style = scalar.style
        let quote = style == .singleQuoted || style == .doubleQuoted ? 1 : 0
        offset = scalar.span.range.lowerBound + quote
        end = scalar.span.range.upperBound - quote
    }

    /// Adds bytes of the source that produce some bytes of the string.
    private mutating func take(_ length: Int, textLength: Int = 1) {
        let start = offset
        offset = min(offset + length, bytes.count)
        for _ in 0..<textLength { ranges.append(start..<offset) }
    }

    private func isBlank(_ offset: Int) -> Bool { bytes[offset] == 0x20 || bytes[offset] == 0x09 }

    // MARK: Plain and quoted scalars

    private mutating func readFlow() {
        switch bytes[offset] {
        case UInt8(ascii: "'") where style == .singleQuoted: take(2)
        case UInt8(ascii: "\\") where style == .doubleQuoted: readEscape()
        default:
            if isBlank(offset) || LineBreak.length(at: offset, in: bytes) != nil { readBlanks() } else { take(1) }
        }
    }

    /// Adds blanks. Within a line they are kept; around a line break they are removed, and the break is folded.
    private mutating func readBlanks() {
        let start = offset
        while offset < end, isBlank(offset) { offset += 1 }
        guard offset < end, let length = LineBreak.length(at: offset, in: bytes) else {
            ranges += (start..<offset).map { $0..<$0 + 1 }
            return
        }
        offset += length
        let others = followingBreaks()
        ranges += others.isEmpty ? [start..<offset] : others
    }

    /// Returns the line breaks after a first one, and skips the blanks around them.
    private mutating func followingBreaks() -> [Range<Int>] {
        var breaks: [Range<Int>] = []
        while offset < end {
            if let length = LineBreak.length(at: offset, in: bytes) {
                breaks.append(offset..<offset + length)
                offset += length
            } else if isBlank(offset) {
                offset += 1
            } else {
                break
            }
        }
        return breaks
    }

    private mutating func readEscape() {
        if let length = LineBreak.length(at: offset + 1, in: bytes) {
            offset += 1 + length
            ranges += followingBreaks()
            return
        }
        guard offset + 1 < end else { return take(1) }
        switch bytes[offset + 1] {
        case UInt8(ascii: "x"): readCodePoint(digits: 2)
        case UInt8(ascii: "u"): readCodePoint(digits: 4)
        case UInt8(ascii: "U"): readCodePoint(digits: 8)
        case UInt8(ascii: "N"), UInt8(ascii: "_"): take(2, textLength: 2)  // U+0085, U+00A0
        case UInt8(ascii: "L"), UInt8(ascii: "P"): take(2, textLength: 3)  // U+2028, U+2029
        default: take(2)
        }
    }

    private mutating func readCodePoint(digits: Int) {
        let text = String(decoding: bytes[(offset + 2)..<min(offset + 2 + digits, end)], as: UTF8.self)
        let scalar = UInt32(text, radix: 16).flatMap { Unicode.Scalar($0) }
        take(min(2 + digits, end - offset), textLength: scalar.map { UTF8.width($0) } ?? 1)
    }

    // MARK: Literal and folded scalars

    /// Adds the lines of a block. Their indentation, and how many line breaks are kept at the end, are derived from the
    /// string that libyaml produced.
    private mutating func readBlock(_ text: String) {
        let header = Self.lineEnd(from: offset, in: bytes)
        offset = header + (LineBreak.length(at: header, in: bytes) ?? 0)
        let indent = Self.indent(of: text, from: offset, in: bytes)
        let count = text.utf8.count
        var (breaks, endsAtContent) = leadingBreaks(indent: indent)
        var wasBlank = true
        while ranges.count < count, endsAtContent {
            let startsBlank = isBlank(offset)
            // In a folded paragraph, the first break becomes a space, or nothing if others follow.
            let isFolded = style == .folded && !wasBlank && !startsBlank && breaks.count > 1
            ranges += isFolded ? Array(breaks.dropFirst()) : breaks
            let end = Self.lineEnd(from: offset, in: bytes)
            ranges += (offset..<end).map { $0..<$0 + 1 }
            offset = end
            wasBlank = startsBlank
            (breaks, endsAtContent) = leadingBreaks(indent: indent)
        }
        ranges = Array((ranges + breaks).prefix(count))
    }

    /// Returns the line breaks up to the next line of content, and whether there is such a line.
    private mutating func leadingBreaks(indent: Int) -> (found: [Range<Int>], endsAtContent: Bool) {
        var found: [Range<Int>] = []
        while true {
            var column = 0
            while column < indent, offset < bytes.count, bytes[offset] == 0x20 {
                offset += 1
                column += 1
            }
            guard let length = LineBreak.length(at: offset, in: bytes) else {
                return (found, column == indent && offset < bytes.count)
            }
            found.append(offset..<offset + length)
            offset += length
        }
    }

    /// Returns the number of spaces of indentation, which are not part of the string. It is determined at the first
    /// line that is not empty in the string.
    ///
    /// Up to that line, the lines of the string and of the source correspond one to one, folded or not. The indentation
    /// of a string that consists only of line breaks does not matter.
    private static func indent(of text: String, from start: Int, in bytes: [UInt8]) -> Int {
        var offset = start
        let rest = text.utf8.drop { $0 == 0x0A }
        for _ in 0..<text.utf8.count - rest.count {
            offset = lineEnd(from: offset, in: bytes)
            offset += LineBreak.length(at: offset, in: bytes) ?? 0
        }
        guard !rest.isEmpty, offset < bytes.count else { return Int.max }
        let inSource = bytes[offset...].prefix { $0 == 0x20 }.count
        return max(0, inSource - rest.prefix { $0 == 0x20 }.count)
    }

    /// Returns where a block scalar ends for a reader: after the last line that is not blank.
    ///
    /// libyaml's mark also includes the blank lines after it.
    static func blockEnd(of range: Range<Int>, in bytes: [UInt8]) -> Int {
        let header = lineEnd(from: range.lowerBound, in: bytes)
        let last = bytes[range].lastIndex { !SyntaxError.isSpace($0) } ?? range.lowerBound
        if last >= header { return lineEnd(from: last, in: bytes) }
        // Only the header, which does not include a comment.
        return bytes[range].firstIndex(where: SyntaxError.isSpace) ?? range.upperBound
    }

    private static func lineEnd(from start: Int, in bytes: [UInt8]) -> Int {
        bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
    }
}

/// Line breaks as libyaml recognizes them. In the string of a scalar, each is a line feed.
enum LineBreak {
    /// Returns the length of the line break at an offset; `nil` if there is none.
    static func length(at offset: Int, in bytes: [UInt8]) -> Int? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case 0x0A: return 1
        case 0x0D: return offset + 1 < bytes.count && bytes[offset + 1] == 0x0A ? 2 : 1
        default: return nil
        }
    }
}
