import WaybillDiagnostics

extension SyntaxError {
    /// The error for a bracket without its counterpart, or for a missing value or comma between brackets.
    var bracketError: Diagnostic? {
        switch failure.problem {
        case "did not find expected ',' or ']'": bracketError(open: "[", close: "]")
        case "did not find expected ',' or '}'": bracketError(open: "{", close: "}")
        case "did not find expected node content": missingValue
        default: nil
        }
    }

    private func bracketError(open: String, close: String) -> Diagnostic {
        let opening = Diagnostic.Label(location(failure.contextOffset), "opened here")
        let here = location(failure.problemOffset)
        let isOnOtherLine = line(at: failure.problemOffset) != line(at: failure.contextOffset)
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            let headline = "'\(text(here.range))' cannot close '\(open)'"
            return error(headline, at: here, label: "'\(close)' is expected", secondary: [opening])
        case UInt8(ascii: "{") where byte(at: failure.problemOffset - 1) == UInt8(ascii: "$"):
            return error(
                "'${' must be quoted between brackets",
                at: file.span(failure.problemOffset - 1..<here.range.upperBound),
                secondary: [opening],
                help: ["Put double quotes around the string: \"${…}\"."]
            )
        case nil:
            return error("'\(open)' is not closed", at: here, label: "the file ends here", secondary: [opening])
        case UInt8(ascii: ":") where isOnOtherLine:
            return error(
                "'\(open)' is not closed",
                at: file.span(endOfContent(before: line(at: failure.problemOffset).lowerBound)),
                label: "'\(close)' is missing here, or ',' in the next line",
                secondary: [opening]
            )
        case _ where isOnOtherLine && isFirstInLine:
            // The line is probably correct.
            return error(
                "',' or '\(close)' is missing here",
                at: file.span(endOfContent(before: failure.problemOffset)),
                secondary: [opening]
            )
        default:
            return error(
                "',' or '\(close)' is missing here",
                at: here,
                secondary: [opening],
                help: ["A string with ': ', ',' or brackets in it must be quoted here."]
            )
        }
    }

    private var isFirstInLine: Bool {
        file.bytes[line(at: failure.problemOffset).lowerBound..<failure.problemOffset].allSatisfy { $0 == 0x20 }
    }

    /// The end of the last line with content before an offset.
    private func endOfContent(before offset: Int) -> Range<Int> {
        let end = (file.bytes[..<offset].lastIndex { !" \n\r\t".utf8.contains($0) } ?? -1) + 1
        return end..<end
    }

    private var missingValue: Diagnostic {
        let here = location(failure.problemOffset)
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return error("'\(text(here.range))' has no matching opening bracket", at: here)
        case UInt8(ascii: ","):
            return error(
                "a value is missing before ','",
                at: here,
                help: ["A string that starts with ',' must be quoted."]
            )
        default:
            return error("a value is missing here", at: here)
        }
    }

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
        if value.scalar?.style == .singleQuoted {
            help.append("Within single quotes, an apostrophe is written twice: ''.")
        }
        let rest = file.span(restOfLine(from: failure.problemOffset))
        if value.scalar.map({ $0.style == .singleQuoted || $0.style == .doubleQuoted }) == true,
            value.span.start.line < value.span.end.line
        {
            // The line with the text is probably correct, and its quote is an opening one.
            return error(
                "the string that starts here ends in line \(value.span.end.line), before other text",
                at: location(value.span.range.lowerBound),
                label: "perhaps it should be closed earlier",
                secondary: [.init(last, "the string ends here"), .init(rest, "unexpected text")],
                help: help
            )
        }
        return error(
            "unexpected text after the end of a value",
            at: rest,
            secondary: [.init(last, "the value ends here")],
            help: help
        )
    }

    private func misplacedLine(expected: String) -> Diagnostic {
        let owner = Diagnostic.Label(location(failure.contextOffset), "starts here")
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
                at: location(failure.problemOffset),
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
        let here = location(failure.problemOffset)
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

    /// The error for a missing or unexpected ':', one without a space after it, or a list on the line of its key.
    var separatorError: Diagnostic? {
        switch failure.problem {
        case "mapping values are not allowed in this context": unexpectedColon
        case "could not find expected ':'": missingColon(inLineAt: failure.contextOffset)
        case "block sequence entries are not allowed in this context":
            error(
                "a list cannot start on the line of its key",
                at: location(failure.problemOffset),
                help: [
                    "Start the list on its own line, or write it in brackets: [a, b].",
                    "A string that starts with '- ' must be quoted.",
                ]
            )
        default: nil
        }
    }

    private var unexpectedColon: Diagnostic {
        let here = location(failure.problemOffset)
        let line = line(at: failure.problemOffset)
        let start = firstText(in: line)
        if let first = separator(in: start..<failure.problemOffset) {
            return error(
                "a second ':' in the same line",
                at: here,
                secondary: [.init(location(first), "the first one")],
                help: ["A value that contains ': ' must be quoted; a nested mapping starts on its own line."]
            )
        }
        guard let previous = lineBefore(line) else { return error("unexpected ':'", at: here) }
        let isDeeper = start - line.lowerBound > firstText(in: previous) - previous.lowerBound
        if !isDeeper, separator(in: previous) == nil { return missingColon(inLineAt: firstText(in: previous)) }
        return error(
            "this key is indented as if it continued the previous line",
            at: file.span(start..<max(start, failure.problemOffset)),
            secondary: [.init(file.span(restOfLine(from: firstText(in: previous))), "this line already has a value")],
            help: ["Keys of one mapping start in the same column."]
        )
    }

    private func missingColon(inLineAt offset: Int) -> Diagnostic {
        let key = restOfLine(from: offset)
        let colon = file.bytes[key].firstIndex(of: UInt8(ascii: ":"))
        if let colon, colon > offset, separator(in: key) == nil {
            return error(
                "a space is missing after ':'",
                at: location(colon),
                help: ["Write '\(text(offset..<colon)): …', or quote the string if it is not a key."]
            )
        }
        return error("':' is missing after the key '\(text(key))'", at: file.span(key))
    }

    // MARK: Lines

    /// Returns the first ':' in a range that separates a key from its value.
    private func separator(in range: Range<Int>) -> Int? {
        file.bytes[range].indices.first { offset in
            guard file.bytes[offset] == UInt8(ascii: ":") else { return false }
            return byte(at: offset + 1).map(Self.isSpace) ?? true
        }
    }

    private func firstText(in line: Range<Int>) -> Int {
        file.bytes[line].firstIndex { !Self.isSpace($0) } ?? line.upperBound
    }

    /// Returns the nearest line above that is not blank.
    private func lineBefore(_ line: Range<Int>) -> Range<Int>? {
        guard let end = file.bytes[..<line.lowerBound].lastIndex(where: { !Self.isSpace($0) }) else { return nil }
        return self.line(at: end)
    }
}
