import WaybillPlatform

/// Reads the tokens of a JSON text. Only this type reads its bytes.
struct JSONScanner: ~Copyable {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The position of the next byte.
    var position = 0
    /// The escapes read so far that are half of a surrogate pair.
    private(set) var loneSurrogates: JSONDocument.LoneSurrogates?
    private var names = NameCache()
    private let stopsAtLimit: Bool
    private var limit = WorkLimit.Check()

    init(_ bytes: UnsafeBufferPointer<UInt8>, stopsAtLimit: Bool = false) {
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

    /// The next byte; 0 at the end, which no token starts with.
    var peek: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipByteOrderMark() {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Moves past white space (RFC 8259, section 2).
    mutating func skipSpace() {
        while position < bytes.count, bytes[position] <= UInt8(ascii: " ") {
            switch bytes[position] {
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

    mutating func readLiteral(_ literal: StaticString) throws(JSONSyntaxError) {
        let end = position + literal.utf8CodeUnitCount
        guard end <= bytes.count, memcmp(bytes.baseAddress! + position, literal.utf8Start, end - position) == 0 else {
            throw JSONSyntaxError("expected a value, such as \(literal)", at: position)
        }
        position = end
    }

    mutating func readNumber() throws(JSONSyntaxError) -> JSONNumber {
        try JSONNumber.scan(bytes, at: &position)
    }

    /// Reads a string, from its opening quote to its closing one.
    mutating func readString() throws(JSONSyntaxError) -> String {
        let start = position + 1
        position = endOfPlainText(from: start)
        guard peek == UInt8(ascii: "\"") else { return try readEscapedString(from: start) }
        defer { position += 1 }
        return try string(start..<position)
    }

    /// Reads a string that is a name, and its hash. A recently read name is not copied again.
    mutating func readName() throws(JSONSyntaxError) -> (name: String, hash: UInt32) {
        let start = position + 1
        position = endOfPlainText(from: start)
        guard peek == UInt8(ascii: "\"") else {
            var name = try readEscapedString(from: start)
            return (name, name.withUTF8(NameCache.hash))
        }
        let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
        let hash = NameCache.hash(text)
        defer { position += 1 }
        if let name = names.name(text, hash: hash) { return (name, hash) }
        let name = try string(start..<position)
        // Names rarely repeat in a short text, and the cache would cost more than it saves.
        if bytes.count >= NameCache.smallestUse { names.keep(name, text, hash: hash) }
        return (name, hash)
    }

    private func string(_ range: Range<Int>) throws(JSONSyntaxError) -> String {
        let part = UnsafeBufferPointer(rebasing: bytes[range])
        // ASCII is always valid, and converting it to a string needs no generic code.
        if Self.isASCII(part) { return String(decoding: part, as: UTF8.self) }
        guard let text = String(validating: part, as: UTF8.self) else { throw invalidUTF8(range) }
        return text
    }

    private static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(text)
        var all: UInt64 = 0
        var position = 0
        while position + 8 <= raw.count {
            all |= raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            position += 8
        }
        while position < raw.count {
            all |= UInt64(raw[position])
            position += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }

    /// Returns the position of the first quote, backslash or control character after a position; the end of the text if
    /// there is none.
    private func endOfPlainText(from start: Int) -> Int {
        var position = start
        let raw = UnsafeRawBufferPointer(bytes)
        // Reads eight bytes at a time. A subtraction may borrow from the next byte, but only above a byte that is a
        // match, and only the lowest match counts.
        while position + 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quote = word ^ 0x2222_2222_2222_2222
            let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
            let finds =
                ((word &- 0x2020_2020_2020_2020) & ~word)
                | ((quote &- 0x0101_0101_0101_0101) & ~quote)
                | ((backslash &- 0x0101_0101_0101_0101) & ~backslash)
            let marks = finds & 0x8080_8080_8080_8080
            if marks != 0 { return position + marks.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < raw.count {
            let byte = raw[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            position += 1
        }
        return position
    }

    private func invalidUTF8(_ range: Range<Int>) -> JSONSyntaxError {
        var decoder = Unicode.UTF8.ForwardParser()
        var rest = bytes[range].makeIterator()
        var offset = range.lowerBound
        while case .valid(let scalar) = decoder.parseScalar(from: &rest) { offset += scalar.count }
        return JSONSyntaxError("the text is not valid UTF-8", at: offset)
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
                guard let string = String(validating: text, as: UTF8.self) else { throw invalidUTF8(start..<position) }
                position += 1
                return string
            case UInt8(ascii: "\\"):
                try readEscape(into: &text)
            default:
                throw JSONSyntaxError("a control character in a string must be escaped", at: position)
            }
            plainStart = position
            position = endOfPlainText(from: position)
        }
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(JSONSyntaxError) {
        let start = position
        position += 1
        let letter = peek
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "u"): text.append(contentsOf: UTF8.encode(try readUnicodeEscape())!)
        default: throw JSONSyntaxError("JSON does not have this escape", at: start)
        }
    }

    /// Reads the digits of `\uXXXX`, and those of the second half of a surrogate pair. Returns U+FFFD for half a pair.
    private mutating func readUnicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
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
        return "\u{FFFD}"
    }

    private mutating func readHexadecimal() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let byte = peek
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                unit = unit << 4 | UInt16(byte & 0xF)
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                unit = unit << 4 | UInt16(byte & 0xF) + 9
            default:
                throw JSONSyntaxError("expected four hexadecimal digits after \\u", at: position)
            }
            position += 1
        }
        return unit
    }
}
