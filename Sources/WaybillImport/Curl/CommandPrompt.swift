import WaybillDiagnostics

/// Converts a command for Windows' cmd.exe to one for bash, which browsers offer beside each other.
enum CommandPrompt {
    /// Whether a text is a command for cmd.exe: its lines are continued with `^`, or its quotes are escaped with it.
    static func isUsed(in text: String) -> Bool {
        let text = text.replacing("\r\n", with: "\n")
        return (text.contains("^\n") || text.contains("^\"")) && !text.contains("\\\n")
    }

    /// Returns the same command for bash.
    static func converted(_ text: String) -> String {
        let text = text.replacing("\r\n", with: "\n")
        // cmd.exe removes the carets, and then curl's runtime splits the words.
        var command = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped || scalar != "^" {
                // A line break after a caret continues the line; a second one is a line break in an argument.
                if !(isEscaped && scalar == "\n") { command.append(scalar) }
                isEscaped = false
            } else {
                isEscaped = true
            }
        }
        return words(Array(command)).map { line in
            line.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        }.joined(separator: "\n")
    }

    /// Splits lines into words: double quotes surround words, and `\"` is a quote.
    private static func words(_ scalars: [Unicode.Scalar]) -> [[String]] {
        var lines: [[String]] = [[]]
        var word: String?
        var isQuoted = false
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            switch scalar {
            case "\\" where index < scalars.count && scalars[index] == "\"":
                word = (word ?? "") + "\""
                index += 1
            case "\"" where isQuoted && index < scalars.count && scalars[index] == "\"":
                word = (word ?? "") + "\""
                index += 1
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted, "\t" where !isQuoted, "\n" where !isQuoted:
                if let finished = word { lines[lines.count - 1].append(finished) }
                word = nil
                if scalar == "\n" { lines.append([]) }
            default: word = (word ?? "") + String(scalar)
            }
        }
        if let word { lines[lines.count - 1].append(word) }
        return lines.filter { !$0.isEmpty }
    }
}
