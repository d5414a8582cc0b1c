import WaybillDiagnostics

/// A line of pieces in different styles, with its width on a terminal.
struct StyledText {
    /// Whether the text has colours.
    let colour: Bool
    /// The text, with the escape sequences for colours.
    private(set) var text = ""
    /// The number of columns.
    private(set) var width = 0

    /// Appends a piece, without its control characters.
    mutating func append(_ piece: String, _ style: TerminalStyle? = nil) {
        let piece = PrintableText.oneLine(piece)
        width += PrintableText.columns(of: piece)
        if let style, colour, !piece.isEmpty {
            text += style.applied(to: piece)
        } else {
            text += piece
        }
    }
}
