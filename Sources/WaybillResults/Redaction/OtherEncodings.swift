/// A secret in the text encodings other than UTF-8 that are common in response bodies: UTF-16 and ISO-8859-1.
enum OtherEncodings {
    /// Returns the bytes of a secret in UTF-16, in both byte orders, and in ISO-8859-1 if they differ from those in
    /// UTF-8.
    static func patterns(of secret: String) -> [PatternAutomaton.Pattern] {
        let units = Array(secret.utf16)
        guard units.allSatisfy({ $0 <= 0xFF }) else {
            return [
                PatternAutomaton.Pattern(bytes: units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }),
                PatternAutomaton.Pattern(bytes: units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }),
            ]
        }
        let latin1 = units.map { UInt8($0) }
        // From the low byte of the first character to that of the last, the bytes are the same in both orders.
        let interleaved = Array(latin1.map { [$0] }.joined(separator: [0]))
        return [interleaved, latin1].prefix(latin1.contains { $0 >= 0x80 } ? 2 : 1).map {
            PatternAutomaton.Pattern(bytes: $0)
        }
    }

    /// A text in UTF-16 with one byte for each code unit.
    struct Narrowed {
        /// The code units. Those beyond ISO-8859-1 are a byte that escapes do not have.
        let bytes: [UInt8]
        /// The offset of the low byte in a code unit.
        private let lowByte: Int

        /// Narrows a text that starts with a byte order mark, or with a character of ISO-8859-1 in UTF-16; `nil` for any
        /// other text.
        init?(_ text: [UInt8]) {
            guard text.count >= 2 else { return nil }
            switch (text[0], text[1]) {
            case (0xFE, 0xFF), (0, 1...): lowByte = 1
            case (0xFF, 0xFE), (1..., 0): lowByte = 0
            default: return nil
            }
            let (low, high) = (lowByte, 1 - lowByte)
            bytes = stride(from: 0, to: text.count - 1, by: 2).map { text[$0 + high] == 0 ? text[$0 + low] : 0 }
        }

        /// Returns the range in the original for a range of `bytes`, from the low byte of the first code unit to that of
        /// the last.
        func originalRange(of range: Range<Int>) -> Range<Int> {
            (2 * range.lowerBound + lowByte)..<(2 * range.upperBound - 1 + lowByte)
        }
    }

    /// Returns the replacement for a match: the mask, in UTF-16 if the match is in UTF-16, so that the following text
    /// stays readable.
    static func mask(for match: ArraySlice<UInt8>) -> [UInt8] {
        let mask = Array(Redactor.mask.utf8)
        guard match.count > 1 else { return mask }
        let isOdd = match.count % 2 == 1
        if match[match.startIndex + 1] == 0 {
            return Array(mask.map { [$0] }.joined(separator: [0])) + (isOdd ? [] : [0])
        }
        return match.first == 0 && !isOdd ? mask.flatMap { [0, $0] } : mask
    }
}
