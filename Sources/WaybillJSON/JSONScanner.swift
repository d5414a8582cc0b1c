/// Reads the tokens of a JSON text. Only this type reads its bytes.
struct JSONScanner: ~Copyable {
    private let bytes: [UInt8]
    /// The position of the next byte.
    var position = 0
    /// The escapes read so far that are half of a surrogate pair.
    private(set) var loneSurrogates: JSONDocument.LoneSurrogates?
    private let stopsAtLimit: Bool
    private var limit = WorkLimit.Check()

    init(_ bytes: [UInt8], stopsAtLimit: Bool = false) {
        self.bytes = bytes
        self.stopsAtLimit = stopsAtLimit
    }

    /// Throws if the text is read for a task that must stop.
    mutating func checkLimit() throws(JSONSyntaxError) {
        if limit.isReached(at: position), stopsAtLimit { throw JSONSyntaxError(WorkLimit.message, at: position) }
    }

    /// The number of bytes.
    var count: Int { bytes.count }

    var isAtEnd: Bool { position == bytes.count }

    /// A byte of the text.
    subscript(offset: Int) -> UInt8 { bytes[offset] }

    /// The bytes read since a position.
    func bytes(from start: Int) -> [UInt8] { Array(bytes[start..<position]) }

    /// The next byte; 0 at the end, which no token starts with.
    var peek: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipByteOrderMark() {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Moves past white space (RFC 8259, section 2).
    mutating func skipSpace() {
        while true {
            switch peek {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Skips white space, and then a byte if it is the next one. Returns whether it is.
    mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard peek == byte else { return false }
        position += 1
        return true
    }

    mutating func readLiteral(_ literal: String) throws(JSONSyntaxError) {
        let start = position
        for byte in literal.utf8 {
            guard peek == byte else { throw JSONSyntaxError("expected a value, such as \(literal)", at: start) }
            position += 1
        }
    }

    mutating func readNumber() throws(JSONSyntaxError) -> JSONNumber {
        var end = position
        defer { position = end }
        return try JSONNumber.scan(bytes.span, at: &end)
    }

    /// Reads a string, from its opening quote to its closing one.
    mutating func readString() throws(JSONSyntaxError) -> String {
        let start = position + 1
        position = endOfPlainText(from: start)
        guard peek == UInt8(ascii: "\"") else { return try readEscapedString(from: start) }
        defer { position += 1 }
        return try string(start..<position)
    }

    private func string(_ range: Range<Int>) throws(JSONSyntaxError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
        } catch {
            throw JSONSyntaxError("the text is not valid UTF-8", at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }

    /// Returns the position of the first quote, backslash or control character after a position; the end of the text if
    /// there is none.
    private func endOfPlainText(from start: Int) -> Int {
        let bytes = bytes.span
        var end = start
        while end < bytes.count, !JSONWriter.mustEscape(bytes[end]) { end += 1 }
        return end
    }
}

extension JSONScanner {
    /// Continues reading a string at the first byte that is not plain text.
    private mutating func readEscapedString(from start: Int) throws(JSONSyntaxError) -> String {
        var text: [UInt8] = []
        var plainStart = start
        while true {
            try checkLimit()
            text.append(contentsOf: bytes[plainStart..<position])
            guard position < bytes.count else { throw JSONSyntaxError("the string has no closing quote", at: position) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard let text = try? UTF8Span(validating: text.span) else { return try string(start..<position) }
                position += 1
                return String(copying: text)
            case UInt8(ascii: "\\"):
                if let scalar = try readEscape() {
                    text.append(contentsOf: UTF8.encode(scalar)!)
                } else {
                    // Different halves stay different, whatever the case of their digits is.
                    text.append(contentsOf: "\u{FFFD}".utf8)
                    text.append(contentsOf: bytes[position - 4..<position].map { $0 | 0x20 })
                }
            default:
                throw JSONSyntaxError("a control character in a string must be escaped", at: position)
            }
            plainStart = position
            position = endOfPlainText(from: position)
        }
    }

    /// Reads an escape; returns `nil` after the digits of one that is half of a surrogate pair.
    private mutating func readEscape() throws(JSONSyntaxError) -> Unicode.Scalar? {
        let start = position
        position += 1
        let letter = peek
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default: throw JSONSyntaxError("JSON does not have this escape", at: start)
        }
    }

    /// Reads the digits of `\uXXXX`, and those of the second half of a surrogate pair. Returns `nil` for half a pair.
    private mutating func readUnicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar? {
        let start = position - 2
        let unit = try readHexadecimal()
        if UTF16.isLeadSurrogate(unit), position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        {
            let second = position
            position += 2
            let trail = try readHexadecimal()
            if UTF16.isTrailSurrogate(trail) {
                return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
            }
            position = second
        }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        loneSurrogates = loneSurrogates ?? .init(count: 0, firstOffset: start)
        loneSurrogates?.count += 1
        return nil
    }

    private mutating func readHexadecimal() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = peek.hexadecimalDigit else {
                throw JSONSyntaxError("expected four hexadecimal digits after \\u", at: position)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
