import WaybillDiagnostics

extension SyntaxError {
    /// The error for unexpected content instead of the next key or list entry, or after the end of the document.
    var indentationError: Diagnostic? {
        switch failure.problem {
        case "did not find expected key": afterValue ?? misplacedLine(expected: "a key of this mapping")
        case "did not find expected '-' indicator": afterValue ?? misplacedLine(expected: "an entry of this list")
        case "did not find expected <document start>": afterValue ?? afterDocument
        default: nil
        }
    }

    /// The error for text after a complete value in the same line: `"a" b`, `'it's'`.
    private var afterValue: Diagnostic? {
        guard let value = lastValue, value.span.range.upperBound <= failure.problemOffset,
            value.span.range.upperBound > line(at: failure.problemOffset).lowerBound
        else { return nil }
        let last = file.span(value.span.range.upperBound - 1..<value.span.range.upperBound)
        var help = ["Put quotes around the whole string, or remove the rest."]
        var secondary = [Diagnostic.Label(last, "the value ends here")]
        if value.scalar?.style == .singleQuoted {
            help.append("Within single quotes, an apostrophe is written twice: ''.")
        }
        if value.scalar.map({ $0.style == .singleQuoted || $0.style == .doubleQuoted }) == true,
            value.span.start.line < value.span.end.line
        {
            help.append("Perhaps the quote in line \(value.span.start.line) should be closed earlier.")
            secondary.append(.init(place(value.span.range.lowerBound), "the quote starts here"))
        }
        return error(
            "unexpected text after the end of a value",
            at: file.span(restOfLine(from: failure.problemOffset)),
            secondary: secondary,
            help: help
        )
    }

    private func misplacedLine(expected: String) -> Diagnostic {
        let owner = Diagnostic.Label(place(failure.contextOffset), "starts here")
        let here = file.span(word(from: failure.problemOffset))
        let column = here.start.column
        let wanted = owner.span.start.column
        if column == wanted {
            return error("expected \(expected)", at: here, secondary: [owner])
        }
        return error(
            "the indentation does not match any line above",
            at: here,
            label: "in column \(column)",
            secondary: [.init(owner.span, "the lines of this block start in column \(wanted)")],
            help: ["Lines of one mapping or list start in the same column; nested values are indented further."]
        )
    }

    private var afterDocument: Diagnostic {
        let here = file.span(word(from: failure.problemOffset))
        if file.bytes.first == UInt8(ascii: "%") {
            return error("'---' is missing between the directives and the document", at: here)
        }
        return error("unexpected content after the end of the document", at: here, help: ["Check the indentation."])
    }
}
