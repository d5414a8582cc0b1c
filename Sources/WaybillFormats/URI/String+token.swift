extension String {
    /// Whether the string is a token (RFC 9110, section 5.6.2).
    package var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether the string can be the value of a header field (RFC 9110, section 5.5).
    package var isFieldValue: Bool { utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F } }

    /// The string without spaces and tabs around it, which are not part of the value of a field (RFC 9110, section 5.5).
    package var withoutOuterBlanks: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = utf8.first, let last = utf8.last, isBlank(first) || isBlank(last) else { return self }
        guard let start = utf8.firstIndex(where: { !isBlank($0) }), let end = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[start...end])
    }
}
