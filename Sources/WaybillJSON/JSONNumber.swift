/// A JSON number that preserves its digits as written: `12345678901234567890`, `1.10` and `1e400` are unchanged.
///
/// Two numbers are equal if their mathematical values are, whatever their size. There is one limit: an exponent beyond
/// ±10^36 is treated as ±10^36.
package struct JSONNumber: Sendable {
    /// The representation of the digits.
    enum Form: Sendable {
        /// At most 19 digits without an exponent: the value is `significand` / 10^`fractionDigits`.
        ///
        /// Nearly every number in practice has this form. It needs no allocation, and its text follows from the three
        /// parts.
        case decimal(significand: UInt64, fractionDigits: UInt8, isNegative: Bool)
        /// Any other number, as written.
        case text(String)
    }

    /// The digits.
    let form: Form

    /// Creates a number whose digits have already been scanned.
    init(form: Form) {
        self.form = form
    }

    /// Creates a number from text that follows the grammar of RFC 8259, section 6; `nil` for other text.
    package init?(parsing text: String) {
        guard let number = try? Self.scan(all: text.utf8.span) else { return nil }
        self = number
    }

    /// Creates a number from text that a parser has already validated against the grammar of RFC 8259, section 6.
    package init(validated text: String) {
        self = Self(parsing: text) ?? Self(form: .text(text))
    }

    /// Creates an integer.
    package init(_ value: Int) {
        form = .decimal(significand: UInt64(value.magnitude), fractionDigits: 0, isNegative: value < 0)
    }

    /// Creates a number from thousandths, with as few digits as possible: `0.25`, `3`.
    package init(thousandths value: Int) {
        var (significand, digits) = (UInt64(value.magnitude), UInt8(3))
        while digits > 0, significand % 10 == 0 { (significand, digits) = (significand / 10, digits - 1) }
        form = .decimal(significand: significand, fractionDigits: digits, isNegative: value < 0)
    }

    /// Creates a number from a double, with the fewest digits that read back the same; `nil` for infinities and NaN,
    /// which JSON does not support.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        if value == value.rounded(), abs(value) < 1e15 {
            self.init(Int(value))
        } else {
            self.init(validated: value.description)
        }
    }
}

extension JSONNumber {
    /// The number as written, in the grammar of RFC 8259, section 6.
    package var text: String {
        if case .text(let text) = form { return text }
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the number as written.
    package func write(to output: inout [UInt8]) {
        switch form {
        case .text(let text):
            output.append(contentsOf: text.utf8)
        case .decimal(let significand, let fractionDigits, let isNegative):
            if isNegative { output.append(UInt8(ascii: "-")) }
            output.append(significand, minimumDigits: Int(fractionDigits) + 1)
            if fractionDigits > 0 { output.insert(UInt8(ascii: "."), at: output.count - Int(fractionDigits)) }
        }
    }

    /// A limit of the number's length in bytes as written, which determines the time of comparing it.
    package var lengthLimit: Int {
        if case .text(let text) = form { text.utf8.count } else { Self.longestDecimal }
    }

    /// The maximum length of a decimal in bytes: a sign, a point and the 20 digits of the largest significand.
    static let longestDecimal = 22
}

extension JSONNumber {
    /// The nearest double; infinity if the number is too large for one.
    package var double: Double {
        // Both operands are exact doubles, so the division rounds once and correctly.
        if case .decimal(let significand, let fractionDigits, let isNegative) = form, significand <= 1 << 53 {
            let magnitude = Double(significand) / Double(UInt64.powerOfTen(Int(fractionDigits)))
            return isNegative ? -magnitude : magnitude
        }
        return Double(text) ?? .nan
    }

    /// The value as an `Int`, if it is an integer (`1.0` is one) and in range.
    package var int: Int? {
        let magnitude: UInt64
        let isNegative: Bool
        switch form {
        case .decimal(let significand, let fractionDigits, let sign):
            let (quotient, remainder) = significand.quotientAndRemainder(
                dividingBy: .powerOfTen(Int(fractionDigits))
            )
            guard remainder == 0 else { return nil }
            (magnitude, isNegative) = (quotient, sign)
        case .text:
            let exact = exactDecimal
            guard let whole = exact.wholeMagnitude else { return nil }
            (magnitude, isNegative) = (whole, exact.isNegative)
        }
        if isNegative {
            return magnitude <= Int.min.magnitude ? Int(truncatingIfNeeded: 0 &- magnitude) : nil
        }
        return Int(exactly: magnitude)
    }

    /// Whether the value is mathematically an integer: `1`, `1.0`, `10e-1` and `1e400` are.
    package var isInteger: Bool {
        if case .decimal(let significand, let fractionDigits, _) = form {
            return significand % .powerOfTen(Int(fractionDigits)) == 0
        }
        return exactDecimal.exponent >= 0
    }

    /// Whether the value is an integer multiple of another, in exact decimal arithmetic: `0.3` is one of `0.1`.
    ///
    /// Zero is a multiple of everything but zero; nothing is a multiple of zero. The time is bounded by the product of
    /// the lengths of the two texts, whatever the exponents are. Returns false once `WorkLimit` is reached.
    package func isMultiple(of divisor: JSONNumber) -> Bool {
        exactDecimal.isMultiple(of: divisor.exactDecimal)
    }
}

extension JSONNumber {
    /// Returns the number rounded to a maximum number of fraction digits, half away from zero, without trailing zeros.
    ///
    /// The result is exact for numbers of up to 19 digits. Others are rounded in double precision, but integers are
    /// unchanged.
    package func rounded(toFractionDigits digits: Int) -> JSONNumber {
        guard case .decimal(var significand, let fractionDigits, let isNegative) = form else {
            if isInteger { return self }
            let scale = Double(UInt64.powerOfTen(digits))
            return JSONNumber((double * scale).rounded() / scale) ?? self
        }
        var kept = min(Int(fractionDigits), digits)
        let divisor = UInt64.powerOfTen(Int(fractionDigits) - kept)
        // At most 19 digits plus half of the divisor fit into 64 bits.
        significand = (significand + divisor / 2) / divisor
        while kept > 0, significand % 10 == 0 { (significand, kept) = (significand / 10, kept - 1) }
        let isZero = significand == 0
        return JSONNumber(
            form: .decimal(
                significand: significand,
                fractionDigits: UInt8(kept),
                isNegative: isNegative && !isZero
            )
        )
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number in JSON notation.
    package var description: String { text }
}

extension UInt64 {
    /// Returns 10 to a power of 0 to 19.
    static func powerOfTen(_ power: Int) -> UInt64 {
        powersOfTen[power]
    }

    private static let powersOfTen: [UInt64] = (0..<19).reduce(into: [1]) { powers, _ in
        powers.append(powers.last! * 10)
    }
}

extension [UInt8] {
    /// Appends a number in decimal, with zeros before it if it has fewer than a number of digits.
    package mutating func append(_ number: UInt64, minimumDigits: Int) {
        var digits = 1
        var rest = number
        while rest >= 10 { (rest, digits) = (rest / 10, digits + 1) }
        let length = Swift.max(digits, minimumDigits)
        append(addingCapacity: length) { output in
            output.append(repeating: UInt8(ascii: "0"), count: length)
            // From the last digit to the first.
            rest = number
            for index in (length - digits..<length).reversed() {
                output[index] += UInt8(rest % 10)
                rest /= 10
            }
        }
    }
}
