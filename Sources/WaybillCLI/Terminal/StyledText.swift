import WaybillDiagnostics

/// A line of pieces in different styles, with its width on a terminal.
struct StyledText {
    /// A style of a terminal: the parameter of its SGR sequence.
    enum Style: String {
        case good = "32"
        case bad = "1;31"
        case warning = "33"
        case strong = "1"
        case faint = "2"
    }

    /// Whether the text has colours.
    let colour: Bool
    /// The text, with the escape sequences for colours.
    private(set) var text = ""
    /// The number of columns.
    private(set) var width = 0

    /// Creates an empty line.
    init(colour: Bool) {
        self.colour = colour
    }

    /// Appends a piece, without its control characters.
    mutating func append(_ piece: String, _ style: Style? = nil) {
        let piece = PrintableText.oneLine(piece)
        width += PrintableText.columns(of: piece)
        if let style, colour, !piece.isEmpty {
            text += "\u{1B}[\(style.rawValue)m\(piece)\u{1B}[0m"
        } else {
            text += piece
        }
    }
}
