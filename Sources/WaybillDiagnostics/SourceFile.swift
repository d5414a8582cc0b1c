/// One text that diagnostics can point into: its name as a person knows it, and its bytes.
///
/// The text is kept as bytes, because that is what was read: it may not be valid UTF-8, and finding exactly that is one
/// of the things a diagnostic has to say. Two files are equal when they are the same object; a file is read once.
package final class SourceFile: Sendable {
    /// The greatest size of a text in bytes: 4 GiB, so that a place in it takes four bytes.
    package static let greatestSize = Int(UInt32.max) - 1

    /// The path as it was given, or `<standard input>` and the like.
    package let name: String

    /// The bytes of the text, as read.
    package let bytes: [UInt8]

    /// The byte offset at which each line begins; the first is always 0.
    private let lineStarts: [UInt32]

    /// How many code points are before each whole block of bytes, so that columns of long lines need not be counted from
    /// the beginning; empty where all lines are shorter than a block.
    private let codePointsBefore: [UInt32]

    /// How many bytes a block has, as a power of 2.
    private static let blockBits = 16

    /// Keeps a text of at most `greatestSize` under a name.
    package init(name: String, bytes: [UInt8]) {
        precondition(bytes.count <= Self.greatestSize, "a source text is smaller than 4 GiB")
        self.name = name
        self.bytes = bytes
        self.lineStarts = Self.lineStarts(of: bytes)
        self.codePointsBefore =
            Self.hasLongLine(lineStarts, end: bytes.count) ? Self.codePointsBefore(blocksOf: bytes) : []
    }

    /// Keeps a text that is already a string.
    package convenience init(name: String, text: String) {
        self.init(name: name, bytes: Array(text.utf8))
    }

    /// How many lines the text has; a text that ends in a line break has an empty last one.
    package var lineCount: Int { lineStarts.count }

    /// The place of a byte offset. An offset past the end is the end.
    package func position(at offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), bytes.count)
        let line = lineIndex(at: offset)
        var start = Int(lineStarts[line])
        // No editor shows a byte order mark as a column.
        if line == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = min(3, offset) }
        return SourcePosition(line: line + 1, column: codePoints(in: start..<offset) + 1)
    }

    /// The line, from 1, that a byte offset is on.
    package func line(at offset: Int) -> Int {
        lineIndex(at: min(max(offset, 0), bytes.count)) + 1
    }

    /// The byte offset of a place given as a line (from 0) and a number of code points into it.
    ///
    /// libyaml counts this way. A place past the end of its line is the end of the line.
    package func offset(lineIndex: Int, codePoint: Int) -> Int {
        guard lineIndex < lineStarts.count else { return bytes.count }
        let range = byteRange(ofLine: lineIndex + 1)
        var offset = range.lowerBound
        var left = codePoint
        while left > 0, offset < range.upperBound {
            offset += 1
            while offset < range.upperBound, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            left -= 1
        }
        return offset
    }

    /// The bytes of a line (from 1), without its line break.
    package func byteRange(ofLine line: Int) -> Range<Int> {
        let start = Int(lineStarts[line - 1])
        var end = line < lineStarts.count ? Int(lineStarts[line]) : bytes.count
        if end > start, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// The span of a range of byte offsets.
    package func span(_ range: Range<Int>) -> SourceSpan {
        SourceSpan(file: self, range: range)
    }

    private func lineIndex(at offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(lineStarts[middle]) <= offset { low = middle } else { high = middle }
        }
        return low
    }

    private static func lineStarts(of bytes: [UInt8]) -> [UInt32] {
        var starts: [UInt32] = [0]
        bytes.withUnsafeBufferPointer { buffer in
            var index = 0
            while index < buffer.count {
                let byte = buffer[index]
                index += 1
                if byte == UInt8(ascii: "\n") {
                    starts.append(UInt32(index))
                } else if byte == UInt8(ascii: "\r"), index == buffer.count || buffer[index] != UInt8(ascii: "\n") {
                    starts.append(UInt32(index))
                }
            }
        }
        return starts
    }

    private func codePoints(in range: Range<Int>) -> Int {
        let (first, last) = (range.lowerBound >> Self.blockBits, range.upperBound >> Self.blockBits)
        guard first < last, !codePointsBefore.isEmpty else { return Self.codePoints(in: bytes[range]) }
        func count(before offset: Int, in block: Int) -> Int {
            Int(codePointsBefore[block]) + Self.codePoints(in: bytes[block << Self.blockBits..<offset])
        }
        return count(before: range.upperBound, in: last) - count(before: range.lowerBound, in: first)
    }

    private static func codePoints(in bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }

    private static func hasLongLine(_ starts: [UInt32], end: Int) -> Bool {
        zip(starts, starts.dropFirst() + [UInt32(end)]).contains { $1 - $0 > 1 << blockBits }
    }

    private static func codePointsBefore(blocksOf bytes: [UInt8]) -> [UInt32] {
        var counts: [UInt32] = [0]
        for start in stride(from: 0, to: bytes.count, by: 1 << blockBits) {
            let block = bytes[start..<min(start + 1 << blockBits, bytes.count)]
            counts.append(counts[counts.count - 1] + UInt32(codePoints(in: block)))
        }
        return counts
    }
}

/// A place in a text as people and editors count: both numbers from 1, the column in code points.
package struct SourcePosition: Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The column, from 1, in Unicode code points.
    package let column: Int

    /// A place by its two numbers.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
