/// A set of Unicode code points, as a class of a regular expression names it: ranges and general categories.
struct ScalarSet: Sendable {
    /// Whether the set is everything but what `ranges` and `categories` hold.
    var isNegated = false
    /// In order and apart from each other, once `joinRanges` has been called.
    private var ranges: [ClosedRange<UInt32>] = []
    private var categories: UInt32 = 0

    /// The set that the dot stands for: everything but the two line breaks (RFC 9485, section 4).
    static var dot: ScalarSet {
        var set = ScalarSet()
        set.insert("\n"..."\n")
        set.insert("\r"..."\r")
        set.joinRanges()
        set.isNegated = true
        return set
    }

    /// Adds a range; `joinRanges` must follow before the set is used.
    mutating func insert(_ range: ClosedRange<Unicode.Scalar>) {
        ranges.append(range.lowerBound.value...range.upperBound.value)
    }

    /// Puts the ranges into order, so that finding a code point among thousands of them takes few steps.
    mutating func joinRanges() {
        var joined: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        ranges = joined
    }

    /// Adds all code points of a category such as `Lu` or `L`, or all others.
    ///
    /// - Returns: `false` if RFC 9485 knows no such category.
    mutating func insert(category name: String, complement: Bool) -> Bool {
        guard let mask = Self.masks[name] else { return false }
        categories |= complement ? ~mask : mask
        return true
    }

    /// Whether a code point belongs to the set.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        isMember(scalar) != isNegated
    }

    private func isMember(_ scalar: Unicode.Scalar) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        if low < ranges.count, ranges[low].contains(scalar.value) { return true }
        return categories != 0 && categories & (1 << Self.bit(of: scalar.properties.generalCategory)) != 0
    }

    /// The bits of each category name; a name of one letter stands for all that begin with it.
    private static let masks: [String: UInt32] = {
        var masks: [String: UInt32] = [:]
        for (bit, name) in names.enumerated() {
            masks[name] = 1 << UInt32(bit)
            masks[String(name.prefix(1)), default: 0] |= 1 << UInt32(bit)
        }
        return masks
    }()

    private static let names = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
        "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn",
    ]

    /// The place of a category in `names`.
    private static func bit(of category: Unicode.GeneralCategory) -> UInt32 {
        switch category {
        case .uppercaseLetter: 0
        case .lowercaseLetter: 1
        case .titlecaseLetter: 2
        case .modifierLetter: 3
        case .otherLetter: 4
        case .nonspacingMark: 5
        case .spacingMark: 6
        case .enclosingMark: 7
        case .decimalNumber: 8
        case .letterNumber: 9
        case .otherNumber: 10
        case .connectorPunctuation: 11
        case .dashPunctuation: 12
        case .openPunctuation: 13
        case .closePunctuation: 14
        case .initialPunctuation: 15
        case .finalPunctuation: 16
        case .otherPunctuation: 17
        case .mathSymbol: 18
        case .currencySymbol: 19
        case .modifierSymbol: 20
        case .otherSymbol: 21
        case .spaceSeparator: 22
        case .lineSeparator: 23
        case .paragraphSeparator: 24
        case .control: 25
        case .format: 26
        case .privateUse: 27
        // A `Unicode.Scalar` is never a surrogate, and RFC 9485 has no name for them.
        case .unassigned, .surrogate: 28
        @unknown default: 28
        }
    }
}
