/// Percent-encoding (RFC 3986, section 2.1) for the parts of an address, and the form encoding of the URL standard.
package enum PercentEncoding {
    /// A text as one path segment or one name or value of a query: all but unreserved characters are encoded.
    package static func component(_ text: String) -> String {
        encode(text, keeping: isUnreserved)
    }

    /// A text that is a path with a query, or a part of that: encoded as literal text is, and `#`, which would begin a
    /// fragment.
    package static func pathAndQuery(_ text: String) -> String {
        literal(text).split(separator: "#", omittingEmptySubsequences: false).joined(separator: "%23")
    }

    /// A text of `application/x-www-form-urlencoded` (URL standard, section 5.2): a space becomes `+`.
    package static func form(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "): result.append(UInt8(ascii: "+"))
            case UInt8(ascii: "~"): result += Array("%7E".utf8)
            case UInt8(ascii: "*"): result.append(byte)
            default: append(byte, isUnreserved(byte), to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Literal text of an address: only what may not stand in one at all is encoded, and what is encoded stays so. A `%`
    /// without its two digits is a character like others.
    package static func literal(_ text: String) -> String {
        if text.utf8.allSatisfy(isReservedOrUnreserved) { return text }
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let isEscape = byte == UInt8(ascii: "%") && rest.prefix(2).count(where: isHexadecimalDigit) == 2
            append(byte, isEscape || isReservedOrUnreserved(byte), to: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        if text.utf8.allSatisfy(isKept) { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 { append(byte, isKept(byte), to: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, _ isKept: Bool, to result: inout [UInt8]) {
        if isKept {
            result.append(byte)
        } else {
            let digits = Array("0123456789ABCDEF".utf8)
            result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    /// Whether a character has a place in addresses by itself (RFC 3986, section 2).
    private static func isReservedOrUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        // !, # and $, & to /, : and ;, =, ? and @, [ and ]
        case 0x21, 0x23...0x24, 0x26...0x2F, 0x3A...0x3B, 0x3D, 0x3F...0x40, 0x5B, 0x5D: true
        default: isUnreserved(byte)
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default:
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "~")
        }
    }
}
