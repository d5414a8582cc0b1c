import WaybillDiagnostics

extension SyntaxError {
    /// The error for a character with a special meaning at the start of a value: `* & ! | > @ %` and the backtick.
    var indicatorError: Diagnostic? {
        switch (failure.problem, failure.context) {
        case ("found character that cannot start any token", _):
            reserved
        case (_, "while scanning an alias"):
            name("'*' starts an alias here, but '\(wordFromContext)' is not a valid one")
        case (_, "while scanning an anchor"):
            name("'&' starts an anchor here, but '\(wordFromContext)' is not a valid one")
        case (_, "while scanning a tag"), (_, "while parsing a tag"), ("found undefined tag handle", _):
            name("'!' starts a tag here, but '\(wordFromContext)' is not a valid one")
        case (_, "while scanning a block scalar"):
            error(
                "only '+', '-', a digit from 1 to 9 and a comment can follow '|' or '>'",
                at: place(failure.problemOffset),
                help: ["The block starts on the next line. A string that starts with '|' or '>' must be quoted."]
            )
        case ("found incompatible YAML document", _):
            error("only YAML 1.1 and 1.2 can be read", at: file.span(restOfLine(from: failure.problemOffset)))
        case (_, "while scanning a directive"), (_, "while scanning a %YAML directive"),
            (_, "while scanning a %TAG directive"):
            error(
                "'\(text(restOfLine(from: failure.contextOffset)))' is not a YAML directive",
                at: file.span(restOfLine(from: failure.contextOffset)),
                help: ["A string that starts with '%' must be quoted."]
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
            "a value cannot start with '\(text(here.range))'",
            at: here,
            help: ["Quote the string: \"\(word)\"."]
        )
    }

    private func name(_ headline: String) -> Diagnostic {
        let word = word(from: failure.contextOffset)
        if word.lowerBound > 0, file.bytes[word.lowerBound - 1] == UInt8(ascii: "[") {
            let help = "Inside brackets and braces, quote the whole expression, such as \"$.items[*].id\"."
            return error(headline, at: file.span(word), help: [help])
        }
        return error(headline, at: file.span(word), help: ["Quote a string that starts like this: '\(text(word))'."])
    }
}
