/// A set of Unicode scalars: ranges and properties.
struct CharacterClass: Sendable {
    private var ranges: [ClosedRange<UInt32>] = []
    private var properties: [(property: UnicodeProperty, isNegated: Bool)] = []
    private var subsets: [CharacterClass] = []
    /// Whether the set holds what it would not hold otherwise.
    var isNegated = false

    init(_ ranges: ClosedRange<UInt32>...) {
        for range in ranges { insert(range) }
    }

    /// `\d`
    static let digits = CharacterClass(0x30...0x39)
    /// `\w`
    static let wordCharacters = CharacterClass(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
    /// `\s`: WhiteSpace and LineTerminator of ECMA-262
    static let whitespace = CharacterClass(
        0x09...0x0D,
        0x20...0x20,
        0xA0...0xA0,
        0x1680...0x1680,
        0x2000...0x200A,
        0x2028...0x2029,
        0x202F...0x202F,
        0x205F...0x205F,
        0x3000...0x3000,
        0xFEFF...0xFEFF
    )
    /// `.`: all but LineTerminator
    static let dot = CharacterClass(0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029).negated

    /// The set of all others.
    var negated: CharacterClass {
        var result = self
        result.isNegated.toggle()
        return result
    }

    mutating func insert(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
    }

    mutating func insert(_ property: UnicodeProperty, isNegated: Bool) {
        properties.append((property, isNegated))
    }

    mutating func formUnion(_ other: CharacterClass) {
        subsets.append(other)
    }

    func contains(_ value: UInt32) -> Bool {
        holds(value) != isNegated
    }

    /// The values under 128 that are in the set, as one bit each.
    fileprivate var ascii: (low: UInt64, high: UInt64) {
        var (low, high): (UInt64, UInt64) = (0, 0)
        func insert(_ value: UInt32) {
            if value < 64 { low |= 1 << UInt64(value) } else { high |= 1 << UInt64(value - 64) }
        }
        for range in ranges where range.lowerBound < 128 {
            for value in range.lowerBound...min(range.upperBound, 127) { insert(value) }
        }
        for subset in subsets {
            let (lower, upper) = subset.ascii
            (low, high) = (low | lower, high | upper)
        }
        if !properties.isEmpty {
            for value in UInt32(0)..<128 where holds(value) { insert(value) }
        }
        return isNegated ? (~low, ~high) : (low, high)
    }

    private func holds(_ value: UInt32) -> Bool {
        if ranges.contains(where: { $0.contains(value) }) || subsets.contains(where: { $0.contains(value) }) {
            return true
        }
        guard !properties.isEmpty, let scalar = Unicode.Scalar(value) else { return false }
        return properties.contains { $0.property.holds(for: scalar) != $0.isNegated }
    }
}

/// Which ASCII characters a set holds, as one bit each.
struct ASCIISet: Sendable {
    private let low: UInt64
    private let high: UInt64

    init(_ set: CharacterClass) {
        (low, high) = set.ascii
    }

    /// Whether the set holds a value under 128.
    func contains(_ value: UInt32) -> Bool {
        (value < 64 ? low >> UInt64(value) : high >> UInt64(value & 63)) & 1 != 0
    }
}
