/// Makes text safe for terminals and logs, which content from files or servers must not control.
package enum PrintableText {
    /// Returns a text on one line: white space becomes spaces, and characters that control terminals or editors become
    /// U+FFFD.
    package static func oneLine(_ text: String) -> String {
        replacing(text) { $0 == "\t" || $0 == "\n" ? " " : "\u{FFFD}" }
    }

    /// Returns a text of several lines: characters that control terminals or editors become U+FFFD, except line breaks
    /// and tabs.
    ///
    /// - Parameter keepsStyles: Whether the escape sequences of `TerminalStyle` stay.
    package static func lines(_ text: String, keepsStyles: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { steers($0) && $0 != "\n" && $0 != "\t" }) else { return text }
        return replacing(text.replacing("\r\n", with: "\n"), keepsStyles: keepsStyles) {
            $0 == "\t" || $0 == "\n" ? $0 : "\u{FFFD}"
        }
    }

    /// Returns a text with other characters instead of those that are interpreted.
    private static func replacing(
        _ text: String,
        keepsStyles: Bool = false,
        _ replacement: (Unicode.Scalar) -> Unicode.Scalar
    ) -> String {
        guard text.unicodeScalars.contains(where: { steers($0) }) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if keepsStyles, scalar == "\u{1B}",
                let style = TerminalStyle.sequences.first(where: { rest.starts(with: $0.unicodeScalars) })
            {
                result += style.unicodeScalars
                rest.removeFirst(style.unicodeScalars.count)
                continue
            }
            result.append(steers(scalar) ? replacement(scalar) : scalar)
            rest.removeFirst()
        }
        return String(result)
    }

    /// Returns a word of a shell command on one line, in double quotes if the shell would otherwise change it.
    package static func shellWord(_ text: String) -> String {
        let word = oneLine(text)
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            scalar.value > 127 || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "_-./,:=@%+".unicodeScalars.contains(scalar)
        }
        if isPlain, !word.isEmpty { return word.hasPrefix("-") ? "./\(word)" : word }
        // An interactive bash expands '!' also in double quotes.
        if word.unicodeScalars.contains("!") { return "'\(word.replacing("'", by: #"'\''"#))'" }
        let escaped = word.unicodeScalars.reduce(into: "") { escaped, scalar in
            if "\"\\$`".unicodeScalars.contains(scalar) { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return "\"\(escaped)\""
    }

    /// Returns the number of terminal columns of a text without line breaks.
    package static func columns(of text: String) -> Int { DisplayWidth.of(text) }

    /// Returns a text shortened to a number of columns, with `…` in place of its middle if it is longer.
    package static func shortened(_ text: String, to columns: Int) -> String {
        guard DisplayWidth.of(text) > columns else { return text }
        guard columns > 1 else { return columns == 1 ? "…" : "" }
        // The end, which distinguishes similar texts, gets slightly more room than the start.
        let start = fitting(text, (columns - 1) / 2)
        return start + "…" + fittingEnd(text, columns - 1 - DisplayWidth.of(start))
    }

    /// Returns the start of a text, in at most the given number of columns.
    package static func start(of text: String, _ columns: Int) -> String {
        DisplayWidth.of(text) > columns ? fitting(text, columns - 1) + "…" : text
    }

    /// Returns as much of the start of a text as fits in a number of columns.
    private static func fitting(_ text: String, _ columns: Int) -> String {
        var room = columns
        return String(
            text.prefix { character in
                room -= DisplayWidth.of(character)
                return room >= 0
            }
        )
    }

    /// Returns as much of the end of a text as fits in a number of columns.
    private static func fittingEnd(_ text: String, _ columns: Int) -> Substring {
        var room = columns
        var start = text.endIndex
        while start > text.startIndex {
            let previous = text.index(before: start)
            room -= DisplayWidth.of(text[previous])
            if room < 0 { break }
            start = previous
        }
        return text[start...]
    }

    /// Whether a character is interpreted rather than shown: control characters, line breaks, noncharacters, and
    /// directional marks, which would show a line in another order than it is read.
    package static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        case 0...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: isNoncharacter(scalar)
        }
    }

    /// Whether a code point will never be a character (Unicode, section 23.7). Neither XML nor HTML may contain it.
    package static func isNoncharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
    }
}

extension String {
    /// Returns a string with another one in the place of each occurrence of a code point, also where marks follow it.
    package func replacing(_ scalar: Unicode.Scalar, by replacement: String) -> String {
        unicodeScalars.split(separator: scalar, omittingEmptySubsequences: false).map(String.init)
            .joined(separator: replacement)
    }
}
