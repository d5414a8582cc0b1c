/// A text of which only parts may be shown.
enum MaskedText {
    /// What a character of one, two, three and four bytes becomes.
    private static let replacements = ["*", "·", "•", "𐄁"].map { Array($0.utf8) }

    /// The text with every character replaced that is neither white space nor in one of the ranges.
    ///
    /// A character and what replaces it take the same number of bytes, so that places stay what they are.
    ///
    /// - Parameter ranges: What may be shown, in order.
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

    /// The length of the UTF-8 sequence at an index, as far as it is one; 1 for a byte that belongs to none.
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
