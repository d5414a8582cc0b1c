import WaybillDiagnostics

extension SyntaxError {
    /// The error for a missing or unexpected ':', one without a space after it, or a list on the line of its key.
    var separatorError: Diagnostic? {
        switch failure.problem {
        case "mapping values are not allowed in this context": unexpectedColon
        case "could not find expected ':'": missingColon(inLineAt: failure.contextOffset)
        case "block sequence entries are not allowed in this context":
            error(
                "a list cannot start on the line of its key",
                at: place(failure.problemOffset),
                help: [
                    "Start the list on its own line, or write it in brackets: [a, b].",
                    "A string that starts with '- ' must be quoted.",
                ]
            )
        default: nil
        }
    }

    private var unexpectedColon: Diagnostic {
        let here = place(failure.problemOffset)
        let line = line(at: failure.problemOffset)
        let start = firstText(in: line)
        if let first = separator(in: start..<failure.problemOffset) {
            return error(
                "a second ':' in the same line",
                at: here,
                secondary: [.init(place(first), "the first one")],
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
                at: place(colon),
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
