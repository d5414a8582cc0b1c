import Synchronization

/// A source text that diagnostics refer to: its name and its bytes.
///
/// The text is stored as the bytes that were read, because it may not be valid UTF-8, which is an error to report. Two
/// files are equal if they are the same object, not if their texts are equal.
package final class SourceFile: Sendable {
    /// The maximum size of a text in bytes: 4 GiB, so that an offset fits into four bytes.
    package static let greatestSize = Int(UInt32.max) - 1

    /// The path as it was given, or a name such as `<standard input>`.
    package let name: String

    /// The bytes of the text, as read.
    package let bytes: [UInt8]

    /// Whether everything secret in the bytes is masked already.
    package let isMasked: Bool

    /// The table of lines, created when it is first needed. Without diagnostics, it never is.
    private let knownLines = Mutex<LineTable?>(nil)

    /// What was found of the credentials in the bytes.
    let knownCredentials = Mutex(WrittenCredentials.Known())

    /// Creates a source file from a text of at most `greatestSize` bytes.
    package init(name: String, bytes: [UInt8], isMasked: Bool = false) {
        precondition(bytes.count <= Self.greatestSize, "a source text is smaller than 4 GiB")
        self.name = name
        self.bytes = bytes
        self.isMasked = isMasked
    }

    /// Creates a source file from a string.
    package convenience init(name: String, text: String) {
        self.init(name: name, bytes: Array(text.utf8))
    }

    /// The number of lines. A text that ends with a line break has an empty last line.
    package var lineCount: Int { lines.starts.count }

    /// Returns the position of a byte offset. An offset after the end is treated as the end.
    package func position(at offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), bytes.count)
        let lines = lines
        let line = lines.index(at: offset)
        var start = Int(lines.starts[line])
        // Editors do not show a byte order mark as a column.
        if line == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = min(3, offset) }
        return SourcePosition(line: line + 1, column: lines.codePoints(in: start..<offset, of: bytes) + 1)
    }

    /// Returns the line, from 1, that contains a byte offset.
    package func line(at offset: Int) -> Int {
        lines.index(at: min(max(offset, 0), bytes.count)) + 1
    }

    /// Returns the bytes of a line (from 1), without its line break.
    package func byteRange(ofLine line: Int) -> Range<Int> {
        let starts = lines.starts
        let start = Int(starts[line - 1])
        var end = line < starts.count ? Int(starts[line]) : bytes.count
        if end > start, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// Returns the span of a range of byte offsets.
    package func span(_ range: Range<Int>) -> SourceSpan {
        SourceSpan(file: self, range: range)
    }

    private var lines: LineTable {
        knownLines.withLock { known in
            if let known { return known }
            let lines = LineTable(bytes)
            known = lines
            return lines
        }
    }
}

extension SourceFile: Hashable {
    /// Compares identity: two files are equal only if they are the same object.
    package static func == (left: SourceFile, right: SourceFile) -> Bool { left === right }

    /// Hashes the identity of the object.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A position in a text as people and editors count: the line and the column are counted from 1, the column in code
/// points.
package struct SourcePosition: Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The column, from 1, in Unicode code points.
    package let column: Int

    /// Creates a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
