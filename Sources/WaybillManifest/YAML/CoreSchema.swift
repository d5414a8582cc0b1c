import WaybillJSON

/// The core schema of YAML 1.2.2 (section 10.3.2), which determines the values of plain scalars.
///
/// `yes`, `no`, `on`, `off`, `1:30` and dates are strings in it. `.inf` and `.nan` are numbers that JSON cannot
/// represent, so they remain strings as written; so does a hexadecimal or octal number beyond 128 bits.
enum CoreSchema {
    /// Returns the value of a plain scalar.
    static func value(of text: String) -> JSON {
        guard let first = text.utf8.first else { return .null }
        switch first {
        case UInt8(ascii: "~"), UInt8(ascii: "n"), UInt8(ascii: "N"):
            return isNull(text) ? .null : .string(text)
        case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "f"), UInt8(ascii: "F"):
            return boolean(text).map { .bool($0) } ?? .string(text)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            return number(text).map { .number($0) } ?? .string(text)
        default:
            return .string(text)
        }
    }

    private static func isNull(_ text: String) -> Bool {
        switch text {
        case "~", "null", "Null", "NULL": true
        default: false
        }
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// Whether a plain scalar is infinity or NaN.
    static func isNotFinite(_ text: String) -> Bool {
        let isSigned = text.hasPrefix("-") || text.hasPrefix("+")
        switch isSigned ? String(text.dropFirst()) : text {
        case ".inf", ".Inf", ".INF": return true
        case ".nan", ".NaN", ".NAN": return !isSigned
        default: return false
        }
    }

    /// Whether a plain scalar is an integer: `12`, `0o14`, `0x1F`, not `1.0`.
    static func isInteger(_ text: String) -> Bool {
        guard number(text) != nil else { return false }
        return text.hasPrefix("0x") || !text.utf8.contains { ".eE".utf8.contains($0) }
    }

    private static func number(_ text: String) -> JSONNumber? {
        if text.hasPrefix("0x") { return prefixed(text, radix: 16) }
        if text.hasPrefix("0o") { return prefixed(text, radix: 8) }
        if let number = JSONNumber(parsing: text) { return number }
        // Other than in JSON, a number can have a plus sign, leading zeros, and a point without digits on one side.
        let isNegative = text.hasPrefix("-")
        var rest = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let whole = rest.prefix { digits.contains($0) }
        rest = rest.dropFirst(whole.count)
        var fraction: Substring?
        if rest.first == "." {
            fraction = rest.dropFirst().prefix { digits.contains($0) }
            rest = rest.dropFirst(1 + (fraction?.count ?? 0))
        }
        guard !whole.isEmpty || fraction?.isEmpty == false else { return nil }
        let significant = whole.drop { $0 == "0" }
        return JSONNumber(
            parsing: (isNegative ? "-" : "") + (significant.isEmpty ? "0" : significant)
                + (fraction.map { $0.isEmpty ? ".0" : ".\($0)" } ?? "") + rest
        )
    }

    private static let digits: ClosedRange<Character> = "0"..."9"

    private static func prefixed(_ text: String, radix: Int) -> JSONNumber? {
        let digits = text.dropFirst(2)
        guard digits.utf8.first.map({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) == true else { return nil }
        return UInt128(digits, radix: radix).flatMap { JSONNumber(parsing: String($0)) }
    }
}
