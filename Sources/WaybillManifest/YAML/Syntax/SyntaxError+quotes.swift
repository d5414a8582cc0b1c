import WaybillDiagnostics

extension SyntaxError {
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
        let quote = text(place(failure.contextOffset).range)
        var help = ["Close the quote with another \(quote)."]
        if quote == "'" { help.append("Within single quotes, an apostrophe is written twice: ''.") }
        return error(
            "the quote \(quote) is not closed",
            at: span,
            label: label,
            secondary: [.init(place(failure.contextOffset), "the quote starts here")],
            help: help
        )
    }

    private var unknownEscape: Diagnostic {
        let start = failure.problemOffset
        let escape = file.span(start..<place(start + 1).range.upperBound)
        return error(
            "unknown escape '\(text(escape.range))' in double quotes",
            at: escape,
            help: ["Write the backslash twice, or use single quotes, where it has no special meaning."]
        )
    }

    private func badEscape(_ headline: String) -> Diagnostic {
        let start = file.bytes[..<failure.problemOffset].lastIndex(of: UInt8(ascii: "\\")) ?? failure.problemOffset
        return error(headline, at: file.span(start..<place(failure.problemOffset).range.upperBound))
    }
}
