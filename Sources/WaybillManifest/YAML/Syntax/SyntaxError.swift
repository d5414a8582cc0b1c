import WaybillDiagnostics

/// A syntax error of libyaml, explained by the likely mistake and what to do about it.
///
/// Each family of errors is an extension in its own file; the first that recognizes the error explains it.
struct SyntaxError {
    let failure: YAMLFailure
    let file: SourceFile
    /// The last value that was read before the error.
    let lastValue: YAMLNode?

    /// The diagnostic for the error.
    var diagnostic: Diagnostic {
        tabError ?? quoteError ?? bracketError ?? separatorError ?? indentationError ?? indicatorError ?? plainError
    }

    /// The diagnostic for an error that no family recognizes, in libyaml's words.
    private var plainError: Diagnostic {
        let isElsewhere = !failure.context.isEmpty && failure.contextOffset != failure.problemOffset
        let context = isElsewhere ? [Diagnostic.Label(location(failure.contextOffset), failure.context)] : []
        return error(failure.problem, at: location(failure.problemOffset), secondary: context)
    }

    // MARK: Words for the families

    func error(
        _ headline: String,
        at span: SourceSpan,
        label: String = "",
        secondary: [Diagnostic.Label] = [],
        help: [String] = []
    ) -> Diagnostic {
        Diagnostic("yaml-syntax", headline, at: span, label: label, secondary: secondary, help: help)
    }

    /// The byte at the location of the error; `nil` at the end of the file.
    var byte: UInt8? { byte(at: failure.problemOffset) }

    func byte(at offset: Int) -> UInt8? {
        file.bytes.indices.contains(offset) ? file.bytes[offset] : nil
    }

    /// Returns the span of the character at an offset.
    func location(_ offset: Int) -> SourceSpan {
        guard offset < file.bytes.count else { return endOfText }
        var end = offset + 1
        while end < file.bytes.count, file.bytes[end] & 0xC0 == 0x80 { end += 1 }
        return file.span(offset..<end)
    }

    /// The location after the last byte that is not a blank or a line break.
    var endOfText: SourceSpan {
        let end = (file.bytes.lastIndex { !Self.isSpace($0) } ?? -1) + 1
        return file.span(end..<end)
    }

    /// Returns the range from an offset to the end of its line, without trailing blanks.
    func restOfLine(from offset: Int) -> Range<Int> {
        var end = line(at: offset).upperBound
        while end > offset, Self.isSpace(file.bytes[end - 1]) { end -= 1 }
        return offset..<max(end, offset)
    }

    /// Returns the range from an offset to the next blank, line break, comma or bracket.
    func word(from offset: Int) -> Range<Int> {
        let stops = Array(",[]{}".utf8)
        let rest = restOfLine(from: offset)
        let end = file.bytes[rest].firstIndex { Self.isSpace($0) || stops.contains($0) } ?? rest.upperBound
        return offset..<max(end, min(offset + 1, rest.upperBound))
    }

    func line(at offset: Int) -> Range<Int> {
        file.byteRange(ofLine: file.position(at: offset).line)
    }

    func text(_ range: Range<Int>) -> String {
        // Only the part that is shown is decoded: a line may have megabytes.
        String(decoding: file.bytes[range].prefix(4 * String.shownLength + 4), as: UTF8.self).shortened
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// The error for a tab where only spaces can indent.
    var tabError: Diagnostic? {
        let tab = UInt8(ascii: "\t")
        switch failure.problem {
        case "found a tab character that violates indentation",
            "found a tab character where an indentation space is expected":
            break
        case "found character that cannot start any token" where byte == tab:
            break
        default:
            return nil
        }
        let start = failure.problemOffset
        let end = file.bytes[start...].firstIndex { $0 != tab } ?? file.bytes.count
        return error(
            "a tab cannot be used for indentation",
            at: file.span(start..<max(end, min(start + 1, file.bytes.count))),
            help: ["Indent with spaces."]
        )
    }

    /// The error for a quote that is not closed, or for an invalid escape.
    var quoteError: Diagnostic? {
        switch failure.problem {
        case "found unexpected end of stream": unclosedQuote(at: endOfText, label: "the file ends here")
        case "found unexpected document indicator":
            unclosedQuote(at: file.span(word(from: failure.problemOffset)), label: "the document ends here")
        case "found unknown escape character": unknownEscape
        case "did not find expected hexdecimal number": badEscape("the escape needs more hexadecimal digits")
        case "found invalid Unicode character escape code": badEscape("the escape is not a Unicode character")
        default: nil
        }
    }

    private func unclosedQuote(at span: SourceSpan, label: String) -> Diagnostic? {
        guard failure.context.hasSuffix("a quoted scalar") else { return nil }
        let quote = text(location(failure.contextOffset).range)
        var help = ["Close the quote with another \(quote)."]
        if quote == "'" { help.append("Within single quotes, an apostrophe is written twice: ''.") }
        return error(
            "the quote \(quote) is not closed",
            at: location(failure.contextOffset),
            label: "the quote starts here",
            secondary: [.init(span, label)],
            help: help
        )
    }

    private var unknownEscape: Diagnostic {
        let start = failure.problemOffset
        let escape = file.span(start..<location(start + 1).range.upperBound)
        return error(
            "unknown escape '\(text(escape.range))' in double quotes",
            at: escape,
            help: ["Write the backslash twice, or use single quotes, where it has no special meaning."]
        )
    }

    private func badEscape(_ headline: String) -> Diagnostic {
        let start = file.bytes[..<failure.problemOffset].lastIndex(of: UInt8(ascii: "\\")) ?? failure.problemOffset
        return error(headline, at: file.span(start..<location(failure.problemOffset).range.upperBound))
    }
}

extension String {
    /// The maximum number of code points of a name or string that a message repeats.
    static let shownLength = 60

    /// The string, cut to the length that a message can repeat.
    var shortened: String {
        guard let end = unicodeScalars.index(startIndex, offsetBy: Self.shownLength, limitedBy: endIndex),
            end < endIndex
        else { return self }
        return self[..<end] + "…"
    }
}
