/// Makes any text fit for a terminal and a log, which nothing from a file or a server may steer.
package enum PrintableText {
    /// A text on one line: white space as spaces, characters that steer terminals or editors as U+FFFD.
    package static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { steers($0) }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t", "\n": result.append(" ")
            case _ where steers(scalar): result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// How many columns of a terminal a text takes that has no line breaks.
    package static func columns(of text: String) -> Int { DisplayWidth.of(text) }

    /// A text of at most some columns: `…` replaces the middle of a longer one.
    package static func shortened(_ text: String, to columns: Int) -> String {
        guard DisplayWidth.of(text) > columns else { return text }
        guard columns > 1 else { return columns == 1 ? "…" : "" }
        // The end, which tells similar texts apart, has a little more room than the start.
        let start = fitting(text, (columns - 1) / 2)
        let end = fitting(String(text.reversed()), columns - 1 - DisplayWidth.of(start))
        return start + "…" + String(end.reversed())
    }

    /// The start of a text, in at most some columns.
    package static func start(of text: String, _ columns: Int) -> String {
        DisplayWidth.of(text) > columns ? fitting(text, columns - 1) + "…" : text
    }

    /// As much of the start of a text as some columns have room for.
    private static func fitting(_ text: String, _ columns: Int) -> String {
        var room = columns
        return String(
            text.prefix { character in
                room -= DisplayWidth.of(character)
                return room >= 0
            }
        )
    }

    /// Whether a character is not shown but obeyed: control characters, breaks of lines, and marks of direction, which
    /// would show a line in another order than it is read in.
    static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        case 0...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
