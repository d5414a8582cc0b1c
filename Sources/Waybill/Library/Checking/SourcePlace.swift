import WaybillDiagnostics
import WaybillJSON

/// A stretch of a manifest, or of another text that was read.
public struct SourcePlace: Sendable, CustomStringConvertible {
    private let span: SourceSpan

    init(_ span: SourceSpan) {
        self.span = span
    }

    /// The path of the file, as it was given or as an include names it; `<standard input>` and the like for other texts.
    public var file: String { span.file.name }

    /// The line that it begins in, from 1.
    public var line: Int { span.start.line }

    /// The column that it begins at, from 1, in Unicode code points.
    public var column: Int { span.start.column }

    /// The line that it ends in, from 1.
    public var endLine: Int { span.end.line }

    /// The column behind its last character, from 1, in Unicode code points.
    public var endColumn: Int { span.end.column }

    /// `accounts.yaml:12:5`
    public var description: String { span.description }
}

extension SourcePlace: Hashable {
    /// Whether two places are the same stretch of a file, also where it was read twice.
    public static func == (left: SourcePlace, right: SourcePlace) -> Bool {
        left.span.range == right.span.range && left.file.hasSameCodePoints(as: right.file)
    }

    /// Hashes the file's path and the stretch.
    public func hash(into hasher: inout Hasher) {
        file.hashCodePoints(into: &hasher)
        hasher.combine(span.range)
    }
}
