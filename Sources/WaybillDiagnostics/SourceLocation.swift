/// A range of a manifest, or of another source that was read.
public struct SourceLocation: Sendable, CustomStringConvertible {
    /// The path of the file, as it was given or as an include names it; a name such as `<standard input>` for other
    /// sources.
    public let file: String
    /// The line where the range starts, from 1.
    public let line: Int
    /// The column where the range starts, from 1, in Unicode code points.
    public let column: Int
    /// The line where the range ends, from 1.
    public let endLine: Int
    /// The column after the last character of the range, from 1, in Unicode code points.
    public let endColumn: Int

    /// Creates a location. Without an end, as in the results of an earlier run, the range is empty.
    public init(file: String, line: Int, column: Int, endLine: Int? = nil, endColumn: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
        self.endLine = endLine ?? line
        self.endColumn = endColumn ?? column
    }

    /// Creates the location of a span.
    package init(_ span: SourceSpan) {
        let (start, end) = (span.start, span.end)
        self.init(
            file: span.file.name,
            line: start.line,
            column: start.column,
            endLine: end.line,
            endColumn: end.column
        )
    }

    /// Creates the location of a span; `nil` without one.
    package init?(_ span: SourceSpan?) {
        guard let span else { return nil }
        self.init(span)
    }

    /// `accounts.yaml:12:5`
    public var description: String { "\(file):\(line):\(column)" }
}

extension SourceLocation: Hashable {
    /// Whether two locations are the same range of a file. The file may have been read twice.
    public static func == (left: SourceLocation, right: SourceLocation) -> Bool {
        left.line == right.line && left.column == right.column && left.endLine == right.endLine
            && left.endColumn == right.endColumn && left.file.utf8.elementsEqual(right.file.utf8)
    }

    /// Hashes the path of the file and the start.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(file)
        hasher.combine(line)
        hasher.combine(column)
    }
}
