extension JSONScanner {
    /// Skips the next value, whatever it contains, without recursion.
    ///
    /// The text must have been parsed before; in a text that is not JSON, an arbitrary part is skipped.
    mutating func skipValue() {
        var depth = 0
        repeat {
            skipSpace()
            switch peek {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
            default: skipPlainScalar()
            }
        } while depth > 0 && !isAtEnd
    }

    private mutating func skipString() {
        var end = position + 1
        while end < count, self[end] != UInt8(ascii: "\"") { end += self[end] == UInt8(ascii: "\\") ? 2 : 1 }
        position = min(end + 1, count)
    }

    /// Skips a number or literal; at least one byte, unless none is left.
    private mutating func skipPlainScalar() {
        var end = position
        while end < count {
            end += 1
            if end < count, Self.endsScalar(self[end]) { break }
        }
        position = end
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case ...UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"): true
        default: false
        }
    }
}
