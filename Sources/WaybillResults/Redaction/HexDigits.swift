/// Bytes in hexadecimal, as in digests and dumps.
enum HexDigits {
    /// Returns the hexadecimal digits of some bytes.
    static func text(of bytes: [UInt8], upperCase: Bool) -> [UInt8] {
        let digits = Array((upperCase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Returns the ranges of a text that consist of at least `length` digits, in either case.
    static func ranges(in text: UnsafeBufferPointer<UInt8>, atLeast length: Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        for index in 0...text.count where index == text.count || value(of: text[index]) == nil {
            if index - start >= length { found.append(start..<index) }
            start = index + 1
        }
        return found
    }

    /// Returns the bytes that the pairs of digits in a range represent; a last unpaired digit is ignored.
    static func bytes(_ range: Range<Int>, of text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        stride(from: range.lowerBound, to: range.upperBound - 1, by: 2).map { index in
            (value(of: text[index]) ?? 0) << 4 | (value(of: text[index + 1]) ?? 0)
        }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
