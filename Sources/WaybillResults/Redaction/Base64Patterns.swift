import WaybillJSON

/// The Base64 characters (RFC 4648, sections 4 and 5) of a value that is encoded as part of a longer one.
enum Base64Patterns {
    /// Whether a byte is in one of the two alphabets; padding is not.
    static func isCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns the characters that the value alone determines, for each of its three possible offsets within the groups
    /// of three bytes. The characters at its ends may contain bits of adjacent bytes, and are left out.
    ///
    /// A value of one byte has no patterns: fewer than three characters would match everywhere.
    static func patterns(of value: [UInt8]) -> [PatternAutomaton.Pattern] {
        let inside = (0..<3).compactMap { offset -> PatternAutomaton.Pattern? in
            let bits = (offset * 8)..<((offset + value.count) * 8)
            let whole = ((bits.lowerBound + 5) / 6)..<max(bits.upperBound / 6, (bits.lowerBound + 5) / 6)
            guard whole.count >= 3 else { return nil }
            return PatternAutomaton.Pattern(
                bytes: characters(whole, of: value, at: offset),
                reachesBefore: bits.lowerBound % 6 != 0,
                reachesAfter: bits.upperBound % 6 != 0
            )
        }
        guard inside.isEmpty, value.count == 2 else { return inside }
        return [PatternAutomaton.Pattern(bytes: characters(0..<3, of: value, at: 0))]
    }

    /// Returns a range of the Base64 characters of a value with `offset` zero bytes before it.
    private static func characters(_ positions: Range<Int>, of value: [UInt8], at offset: Int) -> [UInt8] {
        let text = Base64.encode([UInt8](repeating: 0, count: offset) + value)
        return Array(Array(text.utf8)[positions])
    }
}
