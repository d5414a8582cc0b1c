/// A range of bytes of one file: where a value stands, so that anything said about it can be shown there.
package struct SourceSpan: Sendable {
    /// The text that the span is in.
    package let file: SourceFile

    private let lower: UInt32
    private let upper: UInt32

    /// The span of a range of byte offsets.
    package init(file: SourceFile, range: Range<Int>) {
        self.file = file
        self.lower = UInt32(range.lowerBound)
        self.upper = UInt32(range.upperBound)
    }

    /// The byte offsets; an empty range is a place between two bytes.
    package var range: Range<Int> { Int(lower)..<Int(upper) }

    /// Where the span begins.
    package var start: SourcePosition { file.position(at: Int(lower)) }

    /// Where the span ends, just behind its last byte.
    package var end: SourcePosition { file.position(at: Int(upper)) }

    /// The span from the beginning of this one to the end of another in the same file.
    package func through(_ other: SourceSpan) -> SourceSpan {
        SourceSpan(file: file, range: Int(lower)..<max(Int(lower), Int(other.upper)))
    }
}

extension SourceSpan: Hashable {
    /// Compares the file, which must be the same object, and the byte range.
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
    /// The start of the span as compilers print it: `accounts.yaml:12:5`.
    package var description: String {
        let start = start
        return "\(file.name):\(start.line):\(start.column)"
    }
}

/// A value together with the place that it was written at.
package struct Spanned<Value> {
    /// The value.
    package var value: Value
    /// Where it stands.
    package var span: SourceSpan

    /// Puts a value and its place together.
    @inlinable
    package init(_ value: Value, at span: SourceSpan) {
        self.value = value
        self.span = span
    }

    /// The same place with another value.
    @inlinable
    package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Spanned<Other> {
        Spanned<Other>(try transform(value), at: span)
    }
}

extension Spanned: Sendable where Value: Sendable {}
extension Spanned: Equatable where Value: Equatable {}
extension Spanned: Hashable where Value: Hashable {}
