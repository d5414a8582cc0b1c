extension JSONWriter {
    /// Appends a string in quotes (RFC 8259, section 7), with the shortest escapes, and only where they are required.
    package static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        let bytes = string.utf8.span
        if bytes.indices.contains(where: { mustEscape(bytes[$0]) }) {
            for index in bytes.indices {
                if mustEscape(bytes[index]) {
                    writeEscape(of: bytes[index], to: &output)
                } else {
                    output.append(bytes[index])
                }
            }
        } else {
            output.append(contentsOf: string.utf8)
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether a byte must be escaped in a string: a control character, a quotation mark or a backslash.
    static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func writeEscape(of byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            output.append(contentsOf: "u00".utf8)
            output.append(UInt8(ascii: "0") + byte >> 4)
            output.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
        default: output.append(byte)
        }
    }
}
