/// The source line that a span begins on, made fit to print, with the carets that belong under it.
struct SourceExcerpt {
    /// The line: tabs and control characters replaced, cut when it is too wide.
    let line: String
    /// The spaces before the carets.
    let indent: String
    /// At least one caret.
    let carets: String

    /// The excerpt of a span in at most `width` columns.
    init(of span: SourceSpan, width: Int) {
        let file = span.file
        let lineRange = file.byteRange(ofLine: span.start.line)
        let from = min(span.range.lowerBound, lineRange.upperBound)
        let to = min(max(span.range.upperBound, from), lineRange.upperBound)

        // Only a window around the span is ever decoded: a line may have megabytes.
        let reach = width * 4
        var windowStart = lineRange.lowerBound
        if from - windowStart > reach { windowStart = Self.boundary(before: from - reach, in: file) }
        let windowEnd = min(lineRange.upperBound, max(from, windowStart) + 2 * reach)

        let before = Self.printable(file.bytes[windowStart..<from])
        let marked = Self.printable(file.bytes[from..<min(to, windowEnd)])
        let after = Self.printable(file.bytes[min(to, windowEnd)..<windowEnd])

        var shownBefore = before
        var cutBefore = windowStart > lineRange.lowerBound
        let room = max(width - min(marked.count, width / 2), width / 2)
        if before.count > room {
            shownBefore = Array(before.suffix(room))
            cutBefore = true
        }
        var rest = marked + after
        let restRoom = max(width - shownBefore.count, 1)
        var cutAfter = windowEnd < lineRange.upperBound
        if rest.count > restRoom {
            rest = Array(rest.prefix(restRoom))
            cutAfter = true
        }
        let prefix = cutBefore ? "…" : ""
        line = prefix + Self.string(shownBefore) + Self.string(rest) + (cutAfter ? "…" : "")
        indent = String(repeating: " ", count: prefix.count + shownBefore.count)
        carets = String(repeating: "^", count: max(1, min(marked.count, restRoom)))
    }

    private static func boundary(before offset: Int, in file: SourceFile) -> Int {
        var offset = offset
        while offset > 0, file.bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
        return offset
    }

    private static func printable(_ bytes: ArraySlice<UInt8>) -> [Unicode.Scalar] {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
            if scalar == "\t" { return " " }
            return scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
        }
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
