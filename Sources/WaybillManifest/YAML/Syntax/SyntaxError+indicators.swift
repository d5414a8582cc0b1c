import WaybillDiagnostics

extension SyntaxError {
    /// The error for a character with a special meaning at the start of a value: `* & ! | > @ %` and the backtick.
    var indicatorError: Diagnostic? {
        switch (failure.problem, failure.context) {
        case ("found character that cannot start any token", _):
            reserved
        case (_, "while scanning an alias"):
            name("'*' begins the name of an alias here, and '\(wordFromContext)' is none")
        case (_, "while scanning an anchor"):
            name("'&' begins the name of an anchor here, and '\(wordFromContext)' is none")
        case (_, "while scanning a tag"), (_, "while parsing a tag"), ("found undefined tag handle", _):
            name("'!' begins a tag here, and '\(wordFromContext)' is none")
        case (_, "while scanning a block scalar"):
            error(
                "behind '|' or '>' only '+', '-', a digit from 1 to 9 and a comment can stand",
                at: place(failure.problemOffset),
                help: ["The text begins on the next line. One that begins with '|' or '>' must be quoted."]
            )
        case ("found incompatible YAML document", _):
            error("only YAML 1.1 and 1.2 can be read", at: file.span(restOfLine(from: failure.problemOffset)))
        case (_, "while scanning a directive"), (_, "while scanning a %YAML directive"),
            (_, "while scanning a %TAG directive"):
            error(
                "'\(text(restOfLine(from: failure.contextOffset)))' is not a directive of YAML",
                at: file.span(restOfLine(from: failure.contextOffset)),
                help: ["A text that begins with '%' must be quoted."]
            )
        default:
            nil
        }
    }

    private var wordFromContext: String { text(word(from: failure.contextOffset)) }

    private var reserved: Diagnostic {
        let here = place(failure.problemOffset)
        let word = text(restOfLine(from: failure.problemOffset))
        return error(
            "a value cannot begin with '\(text(here.range))'",
            at: here,
            help: ["Quote the text: \"\(word)\"."]
        )
    }

    private func name(_ headline: String) -> Diagnostic {
        let word = word(from: failure.contextOffset)
        return error(headline, at: file.span(word), help: ["A text that begins so must be quoted: '\(text(word))'."])
    }
}
