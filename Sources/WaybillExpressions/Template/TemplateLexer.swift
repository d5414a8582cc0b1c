/// Splits the text of a template into literal text and `${…}`, without parsing the expressions in the braces.
package struct TemplateLexer {
    /// A part of the text.
    package enum Token {
        /// Literal text at these bytes.
        case literal(Range<Int>)
        /// `$${`, a literal `${`.
        case escape
        /// The content of a `${…}`. A `}` inside one of its strings does not close it.
        case expression(Range<Int>)
        /// An unclosed `${`. If `openString` is set, an unterminated string that starts there may be the cause.
        case unclosed(start: Int, openString: Int?)
    }

    /// The text in UTF-8.
    package let bytes: ArraySlice<UInt8>
    private var position: Int

    /// Creates a lexer at the start of a text in UTF-8, which may be part of a larger one.
    package init(_ text: ArraySlice<UInt8>) {
        bytes = text
        position = text.startIndex
    }

    /// Returns the next token; `nil` at the end.
    package mutating func next() -> Token? {
        guard position < bytes.endIndex else { return nil }
        if starts(with: "$${") {
            position += 3
            return .escape
        }
        if starts(with: "${") { return expression() }
        let start = position
        repeat {
            position += 1
        } while position < bytes.endIndex
            && (bytes[position] != UInt8(ascii: "$") || !starts(with: "${") && !starts(with: "$${"))
        return .literal(start..<position)
    }

    private mutating func expression() -> Token {
        let start = position
        position += 2
        var quote: (byte: UInt8, offset: Int)?
        while position < bytes.endIndex {
            let byte = bytes[position]
            if let open = quote {
                if byte == UInt8(ascii: "\\") {
                    position += 1
                } else if byte == open.byte {
                    quote = nil
                }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = (byte, position)
            } else if byte == UInt8(ascii: "}") {
                position += 1
                return .expression(start + 2..<position - 1)
            }
            position += 1
        }
        position = bytes.endIndex
        return .unclosed(start: start, openString: quote?.offset)
    }

    private func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }
}
