/// A set of Unicode scalars: ranges, a property, and other sets.
struct CharacterClass: Sendable {
    /// The ranges, sorted and disjoint for a binary search.
    private let ranges: [ClosedRange<UInt32>]
    private let subsets: [CharacterClass]
    private let property: UnicodeProperty?
    private var isNegated: Bool

    /// Creates the union of ranges and other sets, or its complement.
    init(_ ranges: [ClosedRange<UInt32>], _ subsets: [CharacterClass], isNegated: Bool) {
        var joined: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        (self.ranges, self.subsets, self.isNegated) = (joined, subsets, isNegated)
        property = nil
    }

    /// Creates the set of the scalars that have a property, or its complement.
    init(_ property: UnicodeProperty, isNegated: Bool) {
        (ranges, subsets, self.property, self.isNegated) = ([], [], property, isNegated)
    }

    init(_ ranges: ClosedRange<UInt32>...) {
        self.init(ranges, [], isNegated: false)
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
    /// `.`: all scalars except LineTerminator
    static let dot = CharacterClass(0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029).negated

    /// The complement of the set.
    var negated: CharacterClass {
        var result = self
        result.isNegated.toggle()
        return result
    }

    func contains(_ value: UInt32) -> Bool {
        (isInRanges(value) || subsets.contains { $0.contains(value) } || hasProperty(value)) != isNegated
    }

    private func isInRanges(_ value: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }

    private func hasProperty(_ value: UInt32) -> Bool {
        guard let property, let scalar = Unicode.Scalar(value) else { return false }
        return property.holds(for: scalar)
    }
}
