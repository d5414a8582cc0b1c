extension JSONWriter {
    /// Appends a string in quotes (RFC 8259, section 7), with the shortest escapes, and only where they are required.
    package static func write(_ string: String, to output: inout [UInt8]) {
        var string = string
        string.withUTF8 { bytes in
            if isPlain(bytes) {
                return output.append(atMost: bytes.count + 2) { cursor in
                    cursor.put(UInt8(ascii: "\""))
                    cursor.put(bytes)
                    cursor.put(UInt8(ascii: "\""))
                }
            }
            output.append(UInt8(ascii: "\""))
            var plainStart = 0
            for position in bytes.indices {
                let byte = bytes[position]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plainStart..<position]))
                writeEscape(of: byte, to: &output)
                plainStart = position + 1
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plainStart...]))
            output.append(UInt8(ascii: "\""))
        }
    }

    /// Whether UTF-8 text needs no escapes in quotes.
    static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        var position = 0
        while position + 8 <= bytes.count {
            if hasEscaped(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) { return false }
            position += 8
        }
        return text[position...].allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// Whether one of eight bytes must be escaped. The highest bit of its byte is set in the result if it is below
    /// 0x20, or if its exclusive or with a quotation mark or backslash is zero.
    private static func hasEscaped(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quoted = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let slashed = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found = (word &- (ones &* 0x20)) & ~word | (quoted &- ones) & ~quoted | (slashed &- ones) & ~slashed
        return found & (ones &* 0x80) != 0
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
