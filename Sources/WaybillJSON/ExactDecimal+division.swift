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
        // Long division, as by hand.
        let divisor = [0] + divisor.digits
        var remainder: [UInt8] = Array(repeating: 0, count: divisor.count)
        var limit = WorkLimit.Check()
        for digit in digits + Array(repeating: 0, count: Int(zeros)) {
            if limit.isReached(before: divisor.count) { return false }
            remainder.removeFirst()
            remainder.append(digit)
            while !remainder.lexicographicallyPrecedes(divisor) { Self.subtract(divisor, from: &remainder) }
        }
        return remainder.allSatisfy { $0 == 0 }
    }

    /// Subtracts a number of as many digits that is not greater.
    private static func subtract(_ number: [UInt8], from value: inout [UInt8]) {
        var borrow: UInt8 = 0
        for index in value.indices.reversed() {
            let part = number[index] + borrow
            borrow = value[index] < part ? 1 : 0
            value[index] = value[index] + 10 * borrow - part
        }
    }
}
