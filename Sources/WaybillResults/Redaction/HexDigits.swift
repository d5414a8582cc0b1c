import WaybillJSON

/// Bytes in hexadecimal, as in digests and dumps.
enum HexDigits {
    /// Returns the ranges of a text that consist of at least `length` digits, in either case.
    static func ranges(in text: [UInt8], atLeast length: Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        for index in 0...text.count where index == text.count || text[index].hexadecimalDigit == nil {
            if index - start >= length { found.append(start..<index) }
            start = index + 1
        }
        return found
    }

    /// Returns the bytes that the pairs of digits in a range represent; a last unpaired digit is ignored.
    static func bytes(_ range: Range<Int>, of text: [UInt8]) -> [UInt8] {
        stride(from: range.lowerBound, to: range.upperBound - 1, by: 2).map { index in
            (text[index].hexadecimalDigit ?? 0) << 4 | (text[index + 1].hexadecimalDigit ?? 0)
        }
    }
}
