extension JSONNumber: Hashable, Comparable {
    /// Compares the exact decimal values: `1`, `1.0` and `10e-1` are equal.
    package static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        switch (left.form, right.form) {
        case (.decimal, .decimal):
            left.aligned(with: right).map { $0.left == $0.right } ?? false
        default:
            left.exactDecimal == right.exactDecimal
        }
    }

    /// Compares the exact decimal values, which are never rounded to a binary number.
    package static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        switch (left.form, right.form) {
        case (.decimal, .decimal):
            left.aligned(with: right).map { $0.left < $0.right } ?? false
        default:
            left.exactDecimal < right.exactDecimal
        }
    }

    /// Hashes the value: equal numbers in different notations have the same hash.
    package func hash(into hasher: inout Hasher) {
        // Equal numbers in both forms must have the same hash, so trailing zeros are removed.
        guard case .decimal(var significand, let fractionDigits, let isNegative) = form else {
            return exactDecimal.hash(into: &hasher)
        }
        var exponent = -Int(fractionDigits)
        while significand != 0, significand.isMultiple(of: 10) {
            significand /= 10
            exponent += 1
        }
        ExactDecimal.hash(significand, exponent: Int128(exponent), isNegative: isNegative, into: &hasher)
    }

    /// Returns two numbers of at most 19 digits scaled to the same power of ten: at most 37 digits, which fit into an
    /// `Int128`.
    private func aligned(with other: JSONNumber) -> (left: Int128, right: Int128)? {
        guard case .decimal(let left, let leftDigits, let leftIsNegative) = form,
            case .decimal(let right, let rightDigits, let rightIsNegative) = other.form
        else { return nil }
        let digits = Int(max(leftDigits, rightDigits))
        let leftScaled = Int128(left) * Int128(UInt64.powerOfTen(digits - Int(leftDigits)))
        let rightScaled = Int128(right) * Int128(UInt64.powerOfTen(digits - Int(rightDigits)))
        return (leftIsNegative ? -leftScaled : leftScaled, rightIsNegative ? -rightScaled : rightScaled)
    }

    /// The exact decimal value.
    var exactDecimal: ExactDecimal {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return ExactDecimal(written: bytes)
    }
}
