import WaybillJSON

/// Strings and numbers (RFC 9535, sections 2.3.1.1 and 2.3.5.1).
extension ExpressionParser {
    mutating func stringLiteral() throws(ExpressionSyntaxError) -> String {
        let start = position
        let quote = bytes[start]
        var value: [UInt8] = []
        position += 1
        while let byte = next {
            switch byte {
            case quote:
                position += 1
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(quote: quote, into: &value)
            case 0..<0x20:
                throw error(
                    "a string cannot contain a control character",
                    help: "Write it as an escape, such as \\n; in a YAML string in double quotes, that is \\\\n."
                )
            default:
                value.append(byte)
                position += 1
            }
        }
        throw error("unterminated string", at: start..<start + 1)
    }

    private mutating func escape(quote: UInt8, into value: inout [UInt8]) throws(ExpressionSyntaxError) {
        let start = position
        position += 1
        guard let byte = next else { throw error("unterminated string", at: start..<start + 1) }
        position += 1
        switch byte {
        case quote, UInt8(ascii: "\\"), UInt8(ascii: "/"): value.append(byte)
        case UInt8(ascii: "b"): value.append(0x08)
        case UInt8(ascii: "f"): value.append(0x0C)
        case UInt8(ascii: "n"): value.append(0x0A)
        case UInt8(ascii: "r"): value.append(0x0D)
        case UInt8(ascii: "t"): value.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try unicodeEscape(from: start)
            value.append(contentsOf: Array(String(Character(scalar)).utf8))
        default:
            position = start + 1
            throw ExpressionSyntaxError(
                "invalid escape in a string",
                at: start..<error("").range.upperBound,
                help: "To write a backslash, use '\\\\'."
            )
        }
    }

    /// Parses the code point of `\uXXXX`, or of a surrogate pair of two escapes; the first `\u` has already been read.
    private mutating func unicodeEscape(from start: Int) throws(ExpressionSyntaxError) -> Unicode.Scalar {
        let first = try hexadecimal(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, startsWith("\\u") else {
            throw error("unpaired surrogate", at: start..<position)
        }
        position += 2
        let second = try hexadecimal(from: start)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else {
            throw error("unpaired surrogate", at: start..<position)
        }
        return scalar
    }

    private mutating func hexadecimal(from start: Int) throws(ExpressionSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next?.hexadecimalDigit else {
                throw error("'\\u' requires four hexadecimal digits", at: start..<position)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    mutating func numberLiteral() throws(ExpressionSyntaxError) -> JSONNumber {
        let start = position
        _ = skip("-")
        let digits = position
        skipDigits()
        if position - digits > 1, bytes[digits] == UInt8(ascii: "0") {
            throw error("a number cannot have leading zeros", at: start..<position)
        }
        if next == UInt8(ascii: ".") {
            position += 1
            if !Self.isDigit(next) { throw error("expected a digit after the decimal point", at: start..<position) }
            skipDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            if !Self.isDigit(next) { throw error("expected a digit in the exponent", at: start..<position) }
            skipDigits()
        }
        if Self.isNameStart(next) { throw error("a name cannot directly follow a number", at: start..<position + 1) }
        return JSONNumber(validated: text(start..<position))
    }

    private mutating func skipDigits() {
        while Self.isDigit(next) { position += 1 }
    }

    /// Parses an index or a bound of a slice: an integer within ±(2^53 − 1) (RFC 9535, section 2.1).
    mutating func indexLiteral() throws(ExpressionSyntaxError) -> Int {
        let start = position
        let isNegative = skip("-")
        let digits = position
        skipDigits()
        let range = start..<position
        if position == digits { throw error("expected a digit") }
        let leadingZero = bytes[digits] == UInt8(ascii: "0")
        if leadingZero, isNegative || position - digits > 1 {
            throw error("an index cannot have leading zeros", at: range)
        }
        guard let value = Int(text(range)), value.magnitude < 1 << 53 else {
            throw error("an index must be within ±(2^53 − 1)", at: range)
        }
        return value
    }
}
