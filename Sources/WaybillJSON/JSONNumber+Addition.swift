extension JSONNumber {
    /// Returns the exact sum for numbers of any size: `0.1` and `0.2` make `0.3`.
    ///
    /// The time is proportional to the distance between the first and the last digit of the two numbers; see
    /// `digitSpan`.
    package func adding(_ other: JSONNumber) -> JSONNumber {
        if let sum = smallSum(with: other) { return sum }
        return JSONNumber(validated: (exactDecimal + other.exactDecimal).text)
    }

    /// The distance of the number's first or last digit from the decimal point, whichever is greater.
    package var digitSpan: Int {
        if case .decimal = form { return Self.longestDecimal }
        let exact = exactDecimal
        return Int(clamping: max(abs(exact.exponent), abs(exact.exponent + Int128(exact.digits.count))))
    }

    /// Returns the sum of two numbers of at most 19 digits, if it has at most 19 digits too.
    private func smallSum(with other: JSONNumber) -> JSONNumber? {
        guard case .decimal(let significand, let fractionDigits, let isNegative) = form,
            case .decimal(let otherSignificand, let otherFractionDigits, let otherIsNegative) = other.form
        else { return nil }
        var digits = max(fractionDigits, otherFractionDigits)
        func scaled(_ significand: UInt64, _ own: UInt8, _ isNegative: Bool) -> Int128? {
            guard digits - own <= 18 else { return nil }
            let magnitude = Int128(significand) * Int128(UInt64.powerOfTen(Int(digits - own)))
            return isNegative ? -magnitude : magnitude
        }
        guard let left = scaled(significand, fractionDigits, isNegative),
            let right = scaled(otherSignificand, otherFractionDigits, otherIsNegative)
        else { return nil }
        let sum = left + right
        var magnitude = sum.magnitude
        while digits > 0, magnitude % 10 == 0 { (magnitude, digits) = (magnitude / 10, digits - 1) }
        guard magnitude < 10_000_000_000_000_000_000 else { return nil }
        return JSONNumber(
            form: .decimal(significand: UInt64(magnitude), fractionDigits: digits, isNegative: sum < 0)
        )
    }
}

extension ExactDecimal {
    fileprivate static func + (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal {
        if left.digits.isEmpty { return right }
        if right.digits.isEmpty { return left }
        let last = min(left.exponent, right.exponent)
        let first = max(left.exponent + Int128(left.digits.count), right.exponent + Int128(right.digits.count))
        // One more digit for a carry.
        let count = Int(first - last) + 1
        func aligned(_ number: ExactDecimal) -> [Int8] {
            let after = Int(number.exponent - last)
            let before = count - number.digits.count - after
            return Array(repeating: 0, count: before) + number.digits.map { Int8($0) }
                + Array(repeating: 0, count: after)
        }
        var (larger, smaller) = (aligned(left), aligned(right))
        var isNegative = left.isNegative
        if larger.lexicographicallyPrecedes(smaller) {
            swap(&larger, &smaller)
            isNegative = right.isNegative
        }
        let sign: Int8 = left.isNegative == right.isNegative ? 1 : -1
        var carry: Int8 = 0
        for index in larger.indices.reversed() {
            let digit = larger[index] + sign * smaller[index] + carry
            carry = digit > 9 ? 1 : digit < 0 ? -1 : 0
            larger[index] = digit - 10 * carry
        }
        let text = String(decoding: larger.map { UInt8($0) + UInt8(ascii: "0") }, as: UTF8.self)
        return ExactDecimal(written: Array("\(isNegative ? "-" : "")\(text)e\(last)".utf8))
    }

    /// The number in the grammar of RFC 8259, section 6. It has an exponent only if many zeros would be needed
    /// otherwise.
    fileprivate var text: String {
        let sign = isNegative ? "-" : ""
        let digits = String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
        if digits.isEmpty { return "0" }
        let length = Int128(digits.utf8.count)
        switch exponent {
        case 0...40: return sign + digits + String(repeating: "0", count: Int(exponent))
        case (-length + 1)..<0:
            return "\(sign)\(digits.dropLast(Int(-exponent))).\(digits.suffix(Int(-exponent)))"
        case (-length - 40)..<(-length + 1):
            return "\(sign)0.\(String(repeating: "0", count: Int(-exponent - length)))\(digits)"
        default: return "\(sign)\(digits)e\(exponent)"
        }
    }
}
