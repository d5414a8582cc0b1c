/// The lines of one file that labels point to, in source order, with the labels below each.
struct SourceExcerpt {
    /// A row of an excerpt.
    struct Row {
        /// The content of the margin to the left of the text.
        enum Margin {
            /// The number of a line.
            case number(Int)
            /// Empty: the row belongs to the line above.
            case none
            /// Lines are omitted here.
            case gap
        }

        /// The content of the margin to the left of the text.
        var margin: Margin
        /// The fragments of the row, from left to right. Fragments that are not source text have a style.
        var fragments: [Fragment]
    }

    /// A text at a column.
    struct Fragment {
        var column: Int
        var text: String
        var style: TerminalStyle?
    }

    /// The part of a label that is on one line.
    struct Mark {
        /// The bytes to underline, all on the line.
        var bytes: Range<Int>
        /// The message of the label.
        var text: String
        /// Whether this is a location of the error itself, not a related one.
        var isPrimary: Bool
    }

    /// The rows, from top to bottom.
    private(set) var rows: [Row] = []
    /// The number of the last line shown so far.
    private(set) var lastLine = 0

    private let file: SourceFile
    private let width: Int
    private let primaryStyle: TerminalStyle

    /// Creates the excerpt of a file for the labels in it.
    init(
        of file: SourceFile,
        labels: [(label: Diagnostic.Label, isPrimary: Bool)],
        primaryStyle: TerminalStyle,
        width: Int
    ) {
        self.file = file
        self.width = width
        self.primaryStyle = primaryStyle
        var marks: [Int: [Mark]] = [:]
        for (label, isPrimary) in labels {
            let line = file.line(at: label.span.range.lowerBound)
            marks[line, default: []].append(Self.mark(label, isPrimary, on: line))
        }
        for (line, marks) in marks.sorted(by: { $0.key < $1.key }) { add(line, marks) }
    }

    /// For a span of several lines, only the first is underlined, to the end of its content.
    private static func mark(_ label: Diagnostic.Label, _ isPrimary: Bool, on line: Int) -> Mark {
        let range = label.span.range
        let whole = label.span.file.byteRange(ofLine: line)
        var end = range.upperBound
        if end > whole.upperBound {
            end = whole.upperBound
            while end > range.lowerBound, [0x20, 0x09].contains(label.span.file.bytes[end - 1]) { end -= 1 }
        }
        let start = min(range.lowerBound, whole.upperBound)
        return Mark(bytes: start..<max(start, end), text: label.text, isPrimary: isPrimary)
    }

    private mutating func add(_ line: Int, _ marks: [Mark]) {
        // A single line between two shown ones is shown rather than omitted.
        if lastLine > 0, line == lastLine + 2 {
            let range = file.byteRange(ofLine: lastLine + 1)
            addRow(lastLine + 1, SourceLine(range, of: file, around: range.lowerBound..<range.lowerBound, width: width))
        } else if lastLine > 0, line > lastLine + 1 {
            rows.append(Row(margin: .gap, fragments: []))
        }
        let marks = marks.sorted {
            ($0.bytes.lowerBound, $0.isPrimary ? 0 : 1) < ($1.bytes.lowerBound, $1.isPrimary ? 0 : 1)
        }
        var group: [Mark] = []
        for mark in marks {
            // Marks on a line that are too far apart for one view get a view each.
            if let first = group.first, mark.bytes.lowerBound - first.bytes.lowerBound > width / 2 {
                addView(of: line, group)
                group = []
            }
            group.append(mark)
        }
        addView(of: line, group)
        lastLine = line
    }

    private mutating func addView(of line: Int, _ marks: [Mark]) {
        let start = marks.map(\.bytes.lowerBound).min() ?? 0
        let end = marks.map(\.bytes.upperBound).max() ?? start
        let view = SourceLine(file.byteRange(ofLine: line), of: file, around: start..<end, width: width)
        addRow(line, view)
        let placed = marks.map { mark in
            Underlines.Mark(
                columns: view.columns(of: mark.bytes),
                text: PrintableText.oneLine(mark.text),
                sign: mark.isPrimary ? "^" : "-",
                style: mark.isPrimary ? primaryStyle : .note
            )
        }
        rows += Underlines.rows(for: placed).map { Row(margin: .none, fragments: $0) }
    }

    private mutating func addRow(_ line: Int, _ view: SourceLine) {
        let fragments = view.text.isEmpty ? [] : [Fragment(column: 0, text: view.text, style: nil)]
        rows.append(Row(margin: .number(line), fragments: fragments))
        lastLine = line
    }
}
