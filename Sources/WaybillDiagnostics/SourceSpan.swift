/// A range of bytes in a source file, such as that of a value, for diagnostics about it.
package struct SourceSpan: Sendable {
    /// The text that the span is in.
    package let file: SourceFile

    private let lower: UInt32
    private let upper: UInt32

    /// Creates the span of a range of byte offsets.
    package init(file: SourceFile, range: Range<Int>) {
        self.file = file
        self.lower = UInt32(range.lowerBound)
        self.upper = UInt32(range.upperBound)
    }

    /// The byte offsets; an empty range is a position between two bytes.
    package var range: Range<Int> { Int(lower)..<Int(upper) }

    /// The position of its first byte.
    package var start: SourcePosition { file.position(at: Int(lower)) }

    /// The position after its last byte.
    package var end: SourcePosition { file.position(at: Int(upper)) }

    /// Returns the span from the start of this one to the end of another in the same file.
    package func through(_ other: SourceSpan) -> SourceSpan {
        SourceSpan(file: file, range: Int(lower)..<max(Int(lower), Int(other.upper)))
    }
}

extension SourceSpan: Hashable {
    /// Compares the files by identity, and the byte ranges.
    package static func == (left: SourceSpan, right: SourceSpan) -> Bool {
        left.file == right.file && left.lower == right.lower && left.upper == right.upper
    }

    /// Hashes the identity of the file and the byte range.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(file)
        hasher.combine(lower)
        hasher.combine(upper)
    }
}

extension SourceSpan: CustomStringConvertible {
    /// The start of the span in the format of compilers: `accounts.yaml:12:5`.
    package var description: String {
        let start = start
        return "\(file.name):\(start.line):\(start.column)"
    }
}

/// A value with its span.
package struct Spanned<Value> {
    package var value: Value
    package var span: SourceSpan

    /// Creates a value with its span.
    @inlinable
    package init(_ value: Value, at span: SourceSpan) {
        self.value = value
        self.span = span
    }

    /// Returns another value with the same span.
    @inlinable
    package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Spanned<Other> {
        Spanned<Other>(try transform(value), at: span)
    }
}

extension Spanned: Sendable where Value: Sendable {}
extension Spanned: Equatable where Value: Equatable {}
extension Spanned: Hashable where Value: Hashable {}
