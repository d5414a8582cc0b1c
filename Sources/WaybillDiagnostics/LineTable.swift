/// The start of each line of a text, with a table that makes columns of long lines fast to count.
struct LineTable: Sendable {
    /// The byte offset of the start of each line; the first is always 0.
    let starts: [UInt32]

    /// The number of code points before each whole block of bytes, so that columns of long lines need not be counted
    /// from the start; empty if all lines are shorter than a block.
    private let codePointsBefore: [UInt32]

    /// The base-2 logarithm of the size of a block in bytes.
    private static let blockBits = 16

    /// Finds the lines of a text.
    init(_ bytes: [UInt8]) {
        starts = Self.lineStarts(of: bytes)
        codePointsBefore = Self.hasLongLine(starts, end: bytes.count) ? Self.codePointsBefore(blocksOf: bytes) : []
    }

    /// Returns the line, from 0, that contains a byte offset.
    func index(at offset: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(starts[middle]) <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns the number of code points in a range of the text.
    func codePoints(in range: Range<Int>, of bytes: [UInt8]) -> Int {
        let (first, last) = (range.lowerBound >> Self.blockBits, range.upperBound >> Self.blockBits)
        guard first < last, !codePointsBefore.isEmpty else { return Self.codePoints(in: bytes[range]) }
        func count(before offset: Int, in block: Int) -> Int {
            Int(codePointsBefore[block]) + Self.codePoints(in: bytes[block << Self.blockBits..<offset])
        }
        return count(before: range.upperBound, in: last) - count(before: range.lowerBound, in: first)
    }

    private static func lineStarts(of bytes: [UInt8]) -> [UInt32] {
        var starts: [UInt32] = [0]
        for (index, byte) in bytes.enumerated() {
            let next = index + 1
            if byte == UInt8(ascii: "\n")
                || byte == UInt8(ascii: "\r") && (next == bytes.count || bytes[next] != UInt8(ascii: "\n"))
            {
                starts.append(UInt32(next))
            }
        }
        return starts
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
