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
