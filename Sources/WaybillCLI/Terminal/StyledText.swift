import WaybillDiagnostics

/// A line of pieces in different styles, with its width on a terminal.
struct StyledText {
    /// Whether the text has colours.
    let colour: Bool
    /// The maximum number of columns where there is no terminal: a URL may have megabytes.
    static let maximumColumns = 1 << 14

    /// The maximum number of columns; what does not fit is cut off.
    var columns = maximumColumns
    /// The text, with the escape sequences for colours.
    private(set) var text = ""
    /// The number of columns.
    private(set) var width = 0

    /// Appends a piece, without its control characters.
    mutating func append(_ piece: String, _ style: TerminalStyle? = nil) {
        let room = columns - width
        let piece = room > 0 ? PrintableText.start(of: PrintableText.oneLine(piece), room) : ""
        width += PrintableText.columns(of: piece)
        if let style, colour, !piece.isEmpty {
            text += style.applied(to: piece)
        } else {
            text += piece
        }
    }
}
