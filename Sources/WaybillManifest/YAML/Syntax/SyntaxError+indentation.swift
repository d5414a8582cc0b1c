import WaybillDiagnostics

extension SyntaxError {
    /// The error for unexpected content instead of the next key or list entry, or after the end of the document.
    var indentationError: Diagnostic? {
        switch failure.problem {
        case "did not find expected key": behindValue ?? misplacedLine(expected: "a key of this mapping")
        case "did not find expected '-' indicator": behindValue ?? misplacedLine(expected: "an entry of this list")
        case "did not find expected <document start>": behindValue ?? behindDocument
        default: nil
        }
    }

    /// The error for text after a complete value in the same line: `"a" b`, `'it's'`.
    private var behindValue: Diagnostic? {
        guard let value = lastValue, value.span.range.upperBound <= failure.problemOffset,
            value.span.range.upperBound > line(at: failure.problemOffset).lowerBound
        else { return nil }
        let last = file.span(value.span.range.upperBound - 1..<value.span.range.upperBound)
        var help = ["Put quotes around the whole text, or take the rest out."]
        var secondary = [Diagnostic.Label(last, "the value ends here")]
        if value.scalar?.style == .singleQuoted {
            help.append("Within single quotes, an apostrophe is written twice: ''.")
        }
        if value.scalar.map({ $0.style == .singleQuoted || $0.style == .doubleQuoted }) == true,
            value.span.start.line < value.span.end.line
        {
            help.append("Perhaps the quote in line \(value.span.start.line) was meant to be closed before.")
            secondary.append(.init(place(value.span.range.lowerBound), "the quote begins here"))
        }
        return error(
            "there is more text behind the end of a value",
            at: file.span(restOfLine(from: failure.problemOffset)),
            secondary: secondary,
            help: help
        )
    }

    private func misplacedLine(expected: String) -> Diagnostic {
        let owner = Diagnostic.Label(place(failure.contextOffset), "begins here")
        let here = file.span(word(from: failure.problemOffset))
        let column = here.start.column
        let wanted = owner.span.start.column
        if column == wanted {
            return error("\(expected) is expected here", at: here, secondary: [owner])
        }
        return error(
            "the indentation fits nothing above",
            at: here,
            label: "stands in column \(column)",
            secondary: [.init(owner.span, "what begins here has its lines in column \(wanted)")],
            help: ["Lines of one mapping or list begin in the same column, and what they hold further right."]
        )
    }

    private var behindDocument: Diagnostic {
        let here = file.span(word(from: failure.problemOffset))
        if file.bytes.first == UInt8(ascii: "%") {
            return error("'---' is missing between the directives and the document", at: here)
        }
        return error("the document is at its end before this", at: here, help: ["Check the indentation."])
    }
}
