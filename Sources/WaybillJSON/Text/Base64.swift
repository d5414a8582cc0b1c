/// Base64 (RFC 4648).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Encodes bytes as text. The URL-safe form (section 5) has no padding.
    package static func encode(_ bytes: [UInt8], urlSafe: Bool = false) -> String {
        let alphabet = urlSafe ? urlAlphabet : alphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        while !urlSafe, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text in either alphabet, with or without padding; `nil` if it is not Base64.
    package static func decode(_ text: String) -> [UInt8]? {
        var digits = text.utf8[...]
        while digits.last == UInt8(ascii: "="), digits.count > text.utf8.count - 2 { digits = digits.dropLast() }
        guard digits.count % 4 != 1, digits.count == text.utf8.count || text.utf8.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count = 0
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = digit - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = digit - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
