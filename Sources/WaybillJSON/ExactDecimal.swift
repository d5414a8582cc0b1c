/// A decimal number of any size: `digits` times 10 to the power of `exponent`.
///
/// Each value has exactly one form: no zeros at either end of the digits, and no digits at all for zero.
struct ExactDecimal: Hashable {
    private(set) var isNegative = false
    /// The digits, 0 to 9 each, the most significant first.
    private(set) var digits: [UInt8] = []
    /// The power of ten of the last digit; 0 for zero.
    private(set) var exponent: Int128 = 0

    /// The limit of exponents. Larger ones are treated as this, so that adding the length of a text never overflows.
    private static let greatestExponent: Int128 = 1_000_000_000_000_000_000 * 1_000_000_000_000_000_000

    /// Creates the value of text that follows the grammar of RFC 8259, section 6.
    init(written bytes: [UInt8]) {
        var afterPoint = false
        var rest = bytes[...]
        while let byte = rest.popFirst(), byte | 0x20 != UInt8(ascii: "e") {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): afterPoint = true
            default:
                if afterPoint { exponent -= 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte & 0xF) }
            }
        }
        exponent += Self.exponent(written: rest)
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }

    private static func exponent(written bytes: ArraySlice<UInt8>) -> Int128 {
        var magnitude: Int128 = 0
        for byte in bytes where byte >= UInt8(ascii: "0") && magnitude < greatestExponent {
            magnitude = magnitude * 10 + Int128(byte & 0xF)
        }
        magnitude = min(magnitude, greatestExponent)
        return bytes.first == UInt8(ascii: "-") ? -magnitude : magnitude
    }

    /// The absolute value, if it is an integer and in range.
    var wholeMagnitude: UInt64? {
        guard exponent >= 0, Int128(digits.count) + exponent <= 20 else { return nil }
        var magnitude: UInt64 = 0
        for digit in digits + Array(repeating: 0, count: Int(exponent)) {
            let (product, productOverflows) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.addingReportingOverflow(UInt64(digit))
            if productOverflows || sumOverflows { return nil }
            magnitude = sum
        }
        return magnitude
    }
}

extension ExactDecimal: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        if left.sign != right.sign { return left.sign < right.sign }
        return left.isNegative ? right.hasSmallerMagnitude(than: left) : left.hasSmallerMagnitude(than: right)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    private func hasSmallerMagnitude(than other: Self) -> Bool {
        let (length, otherLength) = (exponent + Int128(digits.count), other.exponent + Int128(other.digits.count))
        return length != otherLength ? length < otherLength : digits.lexicographicallyPrecedes(other.digits)
    }

    func hash(into hasher: inout Hasher) {
        if digits.count <= 19 {
            let significand = digits.reduce(0 as UInt64) { $0 * 10 + UInt64($1) }
            Self.hash(significand, exponent: exponent, isNegative: isNegative, into: &hasher)
        } else {
            hasher.combine(digits)
            hasher.combine(exponent)
            hasher.combine(isNegative)
        }
    }

    /// Feeds a value to a hasher. It has at most 19 digits, the last of which is not zero.
    static func hash(_ significand: UInt64, exponent: Int128, isNegative: Bool, into hasher: inout Hasher) {
        hasher.combine(significand)
        if significand != 0 {
            hasher.combine(exponent)
            hasher.combine(isNegative)
        }
    }
}
