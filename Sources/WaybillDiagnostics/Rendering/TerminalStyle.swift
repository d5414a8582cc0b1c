/// The style of a piece of text on a terminal: the parameters of its SGR sequence (ECMA-48, section 8.3.117).
///
/// These sequences are the only ones in the text that the program writes; see `PrintableText`.
package enum TerminalStyle: String, Sendable, CaseIterable {
    case strong = "1"
    case faint = "2"
    case good = "32"
    case warning = "33"
    case frame = "34"
    case bad = "1;31"
    case strongWarning = "1;33"
    case note = "1;34"

    private static let end = "\u{1B}[0m"
    /// The sequences that start and end a style.
    static let sequences = allCases.map(\.start) + [end]

    private var start: String { "\u{1B}[\(rawValue)m" }

    /// Returns a text in this style.
    package func applied(to text: String) -> String { start + text + Self.end }
}
