/// Masks a file of which only parts may be shown.
enum MaskedText {
    /// The replacements for characters of one, two, three and four bytes.
    private static let replacements = ["*", "·", "•", "𐄁"].map { Array($0.utf8) }

    /// Returns the bytes with every character replaced that is neither white space nor in one of the ranges.
    ///
    /// A character and its replacement have the same number of bytes, so that locations stay the same.
    ///
    /// - Parameter ranges: The ranges that may be shown, in order.
    static func mask(_ bytes: [UInt8], except ranges: [Range<Int>]) -> [UInt8] {
        var masked = bytes
        var index = 0
        var shown = ranges[...]
        while index < bytes.count {
            while let first = shown.first, first.upperBound <= index { shown.removeFirst() }
            let length = characterLength(bytes, at: index)
            let isShown = shown.first?.contains(index) ?? false
            if !isShown, bytes[index] > UInt8(ascii: " ") {
                for (offset, byte) in replacements[length - 1].enumerated() { masked[index + offset] = byte }
            }
            index += length
        }
        return masked
    }

    /// Returns the length of the UTF-8 sequence at an index; 1 for a byte that is not part of a valid one.
    private static func characterLength(_ bytes: [UInt8], at index: Int) -> Int {
        let wanted =
            switch bytes[index] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        let rest = bytes[(index + 1)...].prefix(wanted - 1).prefix { $0 & 0xC0 == 0x80 }
        return rest.count == wanted - 1 ? wanted : 1
    }
}
