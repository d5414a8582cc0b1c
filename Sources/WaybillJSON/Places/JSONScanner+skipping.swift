extension JSONScanner {
    /// Moves past the value that comes next, whatever it holds, in no more stack than one level needs.
    ///
    /// The text has been read before: of a text that is not JSON some part is skipped.
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

    /// Moves past a number or literal; past at least one byte, unless none is left.
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
