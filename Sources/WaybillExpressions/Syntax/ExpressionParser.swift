/// Parses the text of an expression. Both dialects share one grammar: RFC 9535 is the part of Waybill's grammar that a
/// path starting with `$` can reach, except that a name in Waybill may contain `-`.
struct ExpressionParser {
    enum Dialect: Sendable {
        /// RFC 9535 only.
        case strict
        /// The expressions of Waybill.
        case waybill
    }

    /// The text in UTF-8, which may be part of a larger one; positions are those in the larger one.
    let bytes: ArraySlice<UInt8>
    let dialect: Dialect
    var position: Int
    /// The number of brackets open at the position, which is also the depth of the recursion.
    var openBrackets = 0
    /// The number of filters open at the position.
    var openFilters = 0

    /// The maximum depth of nesting, so that no text can exhaust the stack.
    static let maximumDepth = 200
    /// The maximum number of bytes in one expression.
    static let maximumLength = 65_536

    private init(_ bytes: ArraySlice<UInt8>, dialect: Dialect) throws(ExpressionSyntaxError) {
        if bytes.count > Self.maximumLength {
            throw ExpressionSyntaxError("the expression exceeds \(Self.maximumLength) bytes", at: bytes.indices)
        }
        self.bytes = bytes
        self.dialect = dialect
        position = bytes.startIndex
    }

    /// Parses an expression of Waybill.
    static func expression(_ text: ArraySlice<UInt8>) throws(ExpressionSyntaxError) -> ExpressionSyntax {
        var parser = try ExpressionParser(text, dialect: .waybill)
        parser.skipSpace()
        let syntax = try parser.expression()
        parser.skipSpace()
        if !parser.isAtEnd { throw parser.trailingText() }
        return syntax
    }

    /// Parses a query in the strict syntax of RFC 9535.
    static func strictQuery(_ text: ArraySlice<UInt8>) throws(ExpressionSyntaxError) -> QuerySyntax {
        var parser = try ExpressionParser(text, dialect: .strict)
        guard parser.next == UInt8(ascii: "$") else { throw parser.error("a JSONPath must start with '$'") }
        let query = try parser.query()
        if !parser.isAtEnd { throw parser.trailingText() }
        return query
    }

    // MARK: Characters

    var isAtEnd: Bool { position >= bytes.endIndex }
    var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }
    func byte(after count: Int) -> UInt8? { position + count < bytes.endIndex ? bytes[position + count] : nil }

    func startsWith(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == character.value else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while let next, Self.isSpace(next) { position += 1 }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    static func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (0x30...0x39).contains($0) } ?? false
    }

    /// Whether a byte can start a name: a letter, `_`, or any byte outside ASCII.
    static func isNameStart(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F || byte >= 0x80
    }

    static func isNameByte(_ byte: UInt8?) -> Bool {
        isNameStart(byte) || isDigit(byte)
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    // MARK: Errors

    /// Returns an error at the next character, or at the end.
    func error(_ message: String, help: String? = nil) -> ExpressionSyntaxError {
        var end = min(position + 1, bytes.endIndex)
        while end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return ExpressionSyntaxError(message, at: position..<end, help: help)
    }

    func error(_ message: String, at range: Range<Int>, help: String? = nil) -> ExpressionSyntaxError {
        ExpressionSyntaxError(message, at: range, help: help)
    }
}
