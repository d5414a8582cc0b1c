extension JSONNumber {
    /// Reads the number that starts at a position (RFC 8259, section 6) and moves the position after it.
    static func scan(_ bytes: Span<UInt8>, at position: inout Int) throws(JSONSyntaxError) -> JSONNumber {
        let start = position
        let isNegative = position < bytes.count && bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }

        // The significand overflows beyond 19 digits, but then it is not used.
        var significand: UInt64 = 0
        let wholeStart = position
        let wholeDigits = scanDigits(bytes, at: &position, into: &significand)
        guard wholeDigits > 0 else { throw JSONSyntaxError("expected a digit", at: position) }
        if wholeDigits > 1, bytes[wholeStart] == UInt8(ascii: "0") {
            throw JSONSyntaxError("a number cannot start with a zero before other digits", at: wholeStart)
        }

        var fractionDigits = 0
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            fractionDigits = scanDigits(bytes, at: &position, into: &significand)
            guard fractionDigits > 0 else {
                throw JSONSyntaxError("expected a digit after the decimal point", at: position)
            }
        }

        let hasExponent = position < bytes.count && bytes[position] | 0x20 == UInt8(ascii: "e")
        if hasExponent { try scanExponent(bytes, at: &position) }
        if hasExponent || wholeDigits + fractionDigits > 19 {
            return JSONNumber(form: .text(String(decoding: bytes.extracting(start..<position))))
        }
        return JSONNumber(
            form: .decimal(
                significand: significand,
                fractionDigits: UInt8(truncatingIfNeeded: fractionDigits),
                isNegative: isNegative
            )
        )
    }

    /// Reads a number that consists of all the bytes.
    static func scan(all bytes: Span<UInt8>) throws(JSONSyntaxError) -> JSONNumber {
        var position = 0
        let number = try scan(bytes, at: &position)
        guard position == bytes.count else { throw JSONSyntaxError("expected the end of the number", at: position) }
        return number
    }

    private static func scanDigits(
        _ bytes: Span<UInt8>,
        at position: inout Int,
        into significand: inout UInt64
    ) -> Int {
        let start = position
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            significand = significand &* 10 &+ UInt64(digit)
            position += 1
        }
        return position - start
    }

    private static func scanExponent(
        _ bytes: Span<UInt8>,
        at position: inout Int
    ) throws(JSONSyntaxError) {
        position += 1
        if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
            position += 1
        }
        var ignored: UInt64 = 0
        guard scanDigits(bytes, at: &position, into: &ignored) > 0 else {
            throw JSONSyntaxError("expected a digit in the exponent", at: position)
        }
    }
}
