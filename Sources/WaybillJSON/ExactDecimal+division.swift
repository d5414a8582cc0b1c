extension ExactDecimal {
    /// Whether this is an integer multiple of `divisor`; always false if `divisor` is zero, or once `WorkLimit` is
    /// reached.
    func isMultiple(of divisor: Self) -> Bool {
        guard !divisor.digits.isEmpty else { return false }
        guard !digits.isEmpty else { return true }
        // The digits do not end with zero, so no power of ten divides them.
        guard exponent >= divisor.exponent else { return false }
        // A divisor of n digits has fewer than 4 n factors of two or of five, so more zeros make no difference.
        let zeros = min(exponent - divisor.exponent, 4 * Int128(divisor.digits.count))
        let dividend = digits + Array(repeating: 0, count: Int(zeros))
        if divisor.digits.count <= 37 {
            let modulus = divisor.digits.reduce(0 as UInt128) { $0 * 10 + UInt128($1) }
            var remainder: UInt128 = 0
            var limit = WorkLimit.Check()
            for digit in dividend {
                if limit.isReached(before: 1) { return false }
                remainder = (remainder * 10 + UInt128(digit)) % modulus
            }
            return remainder == 0
        }
        return Self.divides(Self.limbs(of: divisor.digits), Self.limbs(of: dividend))
    }

    private static let limbDigits = 9
    private static let limbBase: UInt64 = 1_000_000_000

    /// Decimal digits in groups of nine, the most significant first; the first group may be shorter.
    private static func limbs(of digits: [UInt8]) -> [UInt64] {
        let first = digits.count % limbDigits
        let starts = (first == 0 ? [] : [0]) + Array(stride(from: first, to: digits.count, by: limbDigits))
        return starts.map { start in
            let end = start == 0 && first > 0 ? first : start + limbDigits
            return digits[start..<end].reduce(0) { $0 * 10 + UInt64($1) }
        }
    }

    /// Long division by a divisor of at least two limbs, as by hand.
    private static func divides(_ divisor: [UInt64], _ dividend: [UInt64]) -> Bool {
        // The first two limbs have at least ten digits: a quotient estimated from them is at most two too small.
        let leading = UInt128(divisor[0] * limbBase + divisor[1]) + 1
        let divisor = [0] + divisor
        var remainder: [UInt64] = Array(repeating: 0, count: divisor.count)
        var limit = WorkLimit.Check()
        for limb in dividend {
            if limit.isReached(before: divisor.count) { return false }
            remainder.removeFirst()
            remainder.append(limb)
            let estimate =
                (UInt128(remainder[0] * limbBase + remainder[1]) * UInt128(limbBase) + UInt128(remainder[2])) / leading
            subtract(UInt64(estimate), times: divisor, from: &remainder)
            while !remainder.lexicographicallyPrecedes(divisor) { subtract(1, times: divisor, from: &remainder) }
        }
        return remainder.allSatisfy { $0 == 0 }
    }

    /// Subtracts a multiple of a number. The multiple must not be greater than the value.
    private static func subtract(_ factor: UInt64, times number: [UInt64], from value: inout [UInt64]) {
        guard factor > 0 else { return }
        var borrow: UInt64 = 0
        for index in value.indices.reversed() {
            let part = factor * number[index] + borrow
            let low = part % limbBase
            borrow = part / limbBase + (value[index] < low ? 1 : 0)
            value[index] = value[index] < low ? value[index] + limbBase - low : value[index] - low
        }
    }
}
