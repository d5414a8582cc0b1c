/// The rows below a line: `^^^^` and `----` under the marked columns, and their messages.
///
/// ```
/// {get: /d, post: /e}
///  ---      ^^^^ the message of the last mark is next to it
///  |
///  the other messages hang below, from right to left
/// ```
enum Underlines {
    /// A range of columns to underline.
    struct Mark {
        /// The columns, from 0; not empty.
        var columns: Range<Int>
        /// The message; may be empty.
        var text: String
        /// The character that underlines it.
        var sign: Character
        /// The style of the underline and the message.
        var style: TerminalStyle
    }

    /// Returns the rows for the marks of one line.
    static func rows(for marks: [Mark]) -> [[SourceExcerpt.Fragment]] {
        // From right to left. Of marks that start at the same column, the first given comes first.
        let marks = marks.enumerated()
            .sorted { ($1.element.columns.lowerBound, $0.offset) < ($0.element.columns.lowerBound, $1.offset) }
            .map(\.element)
        var signs = signRow(marks)
        var hanging = marks.filter { !$0.text.isEmpty }
        let end = marks.map(\.columns.upperBound).max() ?? 0
        if let last = marks.first, !last.text.isEmpty, last.columns.upperBound == end {
            signs.append(.init(column: end + 1, text: last.text, style: last.style))
            hanging.removeFirst()
        }
        var rows = [signs]
        if !hanging.isEmpty { rows.append(connectors(hanging[...])) }
        for (index, mark) in hanging.enumerated() {
            let text = SourceExcerpt.Fragment(column: mark.columns.lowerBound, text: mark.text, style: mark.style)
            let farther = hanging[(index + 1)...].drop { $0.columns.lowerBound == mark.columns.lowerBound }
            rows.append(connectors(farther) + [text])
        }
        return rows
    }

    /// Returns the row of underlines. Where marks overlap, the narrower one is visible, and `^` rather than `-`.
    private static func signRow(_ marks: [Mark]) -> [SourceExcerpt.Fragment] {
        var seen: [Int: Mark] = [:]
        let widestFirst = marks.sorted {
            ($0.sign == "^" ? 1 : 0, $1.columns.count) < ($1.sign == "^" ? 1 : 0, $0.columns.count)
        }
        for mark in widestFirst {
            for column in mark.columns { seen[column] = mark }
        }
        var row: [SourceExcerpt.Fragment] = []
        for (column, mark) in seen.sorted(by: { $0.key < $1.key }) {
            if let last = row.last, last.style == mark.style, last.column + last.text.utf8.count == column {
                row[row.count - 1].text.append(mark.sign)
            } else {
                row.append(.init(column: column, text: String(mark.sign), style: mark.style))
            }
        }
        return row
    }

    /// Returns the row with a `|` below the start of each mark.
    private static func connectors(_ marks: ArraySlice<Mark>) -> [SourceExcerpt.Fragment] {
        var row: [SourceExcerpt.Fragment] = []
        for mark in marks.reversed() where row.last?.column != mark.columns.lowerBound {
            row.append(.init(column: mark.columns.lowerBound, text: "|", style: mark.style))
        }
        return row
    }
}
