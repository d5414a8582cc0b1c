import WaybillJSON

/// Percent-encoding (RFC 3986, section 2.1) for the parts of a URL, and the form encoding of the URL standard.
package enum PercentEncoding {
    // MARK: Encoding

    /// Encodes a string as one path segment, or as one name or value of a query: all but unreserved characters.
    package static func component(_ text: String) -> String {
        text.utf8.allSatisfy(isUnreserved) ? text : encode(text.utf8, keeping: isUnreserved)
    }

    /// Encodes bytes as one path segment, or as one name or value of a query.
    package static func component(_ bytes: some Sequence<UInt8>) -> String {
        encode(bytes, keeping: isUnreserved)
    }

    /// Encodes the path of a file as the path of a URI: all but `/` and unreserved characters (RFC 3986, section 3.3).
    /// This includes `:`, which would turn the start of a relative path into a scheme.
    package static func path(_ text: String) -> String {
        encode(text.utf8) { isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }

    /// Encodes a path with a query, or a part of one: the same characters as in literal text, and `#`, which would
    /// start a fragment.
    package static func pathAndQuery(_ text: String) -> String {
        literal(text).split(separator: "#", omittingEmptySubsequences: false).joined(separator: "%23")
    }

    /// Encodes a string as `application/x-www-form-urlencoded` (URL standard, section 5.2): a space becomes `+`.
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

    /// Encodes literal text of a URL: only characters that a URL cannot contain. Existing escapes are kept; a `%`
    /// without two hexadecimal digits is encoded.
    package static func literal(_ text: String) -> String {
        if text.utf8.allSatisfy(isReservedOrUnreserved) { return text }
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let isEscape = byte == UInt8(ascii: "%") && rest.prefix(2).compactMap(\.hexadecimalDigit).count == 2
            append(byte, isEscape || isReservedOrUnreserved(byte), to: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes the characters of a server's URI reference that a URI cannot contain. Every `%` is kept.
    package static func reference(_ text: String) -> String {
        encode(text.utf8) { isReservedOrUnreserved($0) || $0 == UInt8(ascii: "%") }
    }

    private static func encode(_ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.underestimatedCount + 16)
        for byte in bytes { append(byte, isKept(byte), to: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, _ isKept: Bool, to result: inout [UInt8]) {
        if isKept {
            result.append(byte)
        } else {
            result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    // MARK: Decoding

    /// Decodes a string; `nil` if a `%` is not followed by two digits or the bytes are not UTF-8.
    package static func decoded(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return decodedBytes(text.utf8, allowsBarePercent: false).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Decodes a string to bytes. A `%` without two hexadecimal digits is kept.
    package static func decodedBytes(_ text: some Sequence<UInt8>) -> [UInt8] {
        decodedBytes(text, allowsBarePercent: true) ?? []
    }

    private static func decodedBytes(_ text: some Sequence<UInt8>, allowsBarePercent: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else if let high = rest.first?.hexadecimalDigit,
                let low = rest.dropFirst().first?.hexadecimalDigit
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else if allowsBarePercent {
                bytes.append(byte)
            } else {
                return nil
            }
        }
        return bytes
    }

    // MARK: Characters

    /// Whether a URI may contain a character unescaped (RFC 3986, section 2).
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
