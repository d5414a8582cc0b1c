import WaybillDiagnostics
import WaybillJSON

/// A range of a manifest, or of another source that was read.
public struct SourceLocation: Sendable, CustomStringConvertible {
    private let span: SourceSpan

    init(_ span: SourceSpan) {
        self.span = span
    }

    /// The path of the file, as it was given or as an include names it; a name such as `<standard input>` for other
    /// sources.
    public var file: String { span.file.name }

    /// The line where the range starts, from 1.
    public var line: Int { span.start.line }

    /// The column where the range starts, from 1, in Unicode code points.
    public var column: Int { span.start.column }

    /// The line where the range ends, from 1.
    public var endLine: Int { span.end.line }

    /// The column after the last character of the range, from 1, in Unicode code points.
    public var endColumn: Int { span.end.column }

    /// `accounts.yaml:12:5`
    public var description: String { span.description }
}

extension SourceLocation: Hashable {
    /// Whether two locations are the same range of a file. The file may have been read twice.
    public static func == (left: SourceLocation, right: SourceLocation) -> Bool {
        left.span.range == right.span.range && left.file.hasSameCodePoints(as: right.file)
    }

    /// Hashes the path of the file and the range.
    public func hash(into hasher: inout Hasher) {
        file.hashCodePoints(into: &hasher)
        hasher.combine(span.range)
    }
}
