/// Finds the names in an expression of XPath 1.0 by its lexical structure (section 3.7): the prefixes, and functions that do
/// not exist, which libxml2 reports only where it evaluates them.
struct XPathNames {
    /// The prefixes, without `xml`, which is always bound.
    private(set) var prefixes: [XPathExpression.Prefix] = []

    private let bytes: [UInt8]
    private var position = 0

    /// The functions of XPath 1.0 (section 4), the tests for kinds of nodes, and operators that may precede a parenthesis.
    private static let known: Set = [
        "last", "position", "count", "id", "local-name", "namespace-uri", "name", "string", "concat", "starts-with",
        "contains", "substring-before", "substring-after", "substring", "string-length", "normalize-space", "translate",
        "boolean", "not", "true", "false", "lang", "number", "sum", "floor", "ceiling", "round",
        "comment", "text", "processing-instruction", "node", "and", "or", "div", "mod",
    ]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Reads the expression.
    mutating func read() throws(XPathExpression.Failure) {
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                // libxml2 reports a literal that does not end.
                position = (bytes[(position + 1)...].firstIndex(of: byte) ?? bytes.count - 1) + 1
            case UInt8(ascii: "$"):
                throw XPathExpression.Failure(
                    message: "variables are not supported: put the value into the expression with concat()",
                    offset: position
                )
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): position += 1
            default:
                if Self.isOfName(byte) { try readName() } else { position += 1 }
            }
        }
    }

    private mutating func readName() throws(XPathExpression.Failure) {
        let first = name()
        var name = first
        if peek(0) == UInt8(ascii: ":"), peek(1) != UInt8(ascii: ":") {
            position += 1
            let prefix = String(decoding: bytes[first], as: UTF8.self)
            if prefix != "xml" { prefixes.append(.init(name: prefix, range: first)) }
            _ = self.name()
            name = first.lowerBound..<position
        }
        let text = String(decoding: bytes[name], as: UTF8.self)
        while let next = peek(0), [0x20, 0x09, 0x0A, 0x0D].contains(next) { position += 1 }
        guard peek(0) == UInt8(ascii: "("), !Self.known.contains(text) else { return }
        throw XPathExpression.Failure(
            message: "XPath 1.0 has no function '\(text.prefix(40))'",
            offset: name.lowerBound
        )
    }

    /// Reads a name without a prefix.
    private mutating func name() -> Range<Int> {
        let start = position
        while let next = peek(0), Self.isOfName(next) || Self.continuesName(next) { position += 1 }
        return start..<position
    }

    private func peek(_ distance: Int) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private static func continuesName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
