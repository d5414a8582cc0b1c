/// Takes a template apart into literal text and expressions.
struct TemplateScanner {
    private(set) var warnings: [ExpressionWarning] = []
    /// What the expressions refer to.
    private(set) var references: [Reference] = []
    private let bytes: [UInt8]
    private var position = 0
    /// Where the template begins in a larger text, in which references have their ranges.
    private let offset: Int

    init(_ text: String, embeddedAt offset: Int = 0) {
        bytes = Array(text.utf8)
        self.offset = offset
    }

    mutating func parts() throws(ExpressionSyntaxError) -> [Template.Part] {
        var parts: [Template.Part] = []
        // One text and one expression, as most have at most.
        parts.reserveCapacity(2)
        var literal = ""
        var literalEnd = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "$") where starts(with: "$${"):
                literal += text(literalEnd..<position) + "${"
                position += 3
                literalEnd = position
            case UInt8(ascii: "$") where starts(with: "${"):
                literal += text(literalEnd..<position)
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.expression(try embedded()))
                literalEnd = position
            case UInt8(ascii: "{") where starts(with: "{{"):
                warnOfBraces()
                position += 1
            default:
                position += 1
            }
        }
        literal += text(literalEnd..<position)
        if !literal.isEmpty { parts.append(.literal(literal)) }
        warnOfLiteralPath(parts)
        return parts
    }

    private func text(_ range: Range<Int>) -> String {
        range.isEmpty ? "" : String(decoding: bytes[range], as: UTF8.self)
    }

    /// What one `${…}` at the position holds.
    private mutating func embedded() throws(ExpressionSyntaxError) -> EmbeddedExpression {
        let start = position
        position += 2
        var quote: (byte: UInt8, place: Int)?
        while position < bytes.count {
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
                return try embedded(from: start + 2, to: position - 1)
            }
            position += 1
        }
        position = bytes.count
        if let quote {
            throw ExpressionSyntaxError("this string is never closed", at: quote.place..<quote.place + 1)
        }
        throw ExpressionSyntaxError(
            "this '${' is never closed",
            at: start..<start + 2,
            help: "Close it with '}'; a literal '${' is written '$${'."
        )
    }

    private mutating func embedded(from start: Int, to end: Int) throws(ExpressionSyntaxError) -> EmbeddedExpression {
        let expression: Expression
        do {
            expression = try Expression(parsing: text(start..<end), embeddedAt: offset + start)
        } catch {
            throw error.moved(by: start)
        }
        let embedded = EmbeddedExpression(expression: expression, offset: start)
        if !expression.warnings.isEmpty { warnings += embedded.warnings }
        if references.isEmpty { references = expression.references } else { references += expression.references }
        return embedded
    }

    private func starts(with text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
        for index in 0..<text.utf8CodeUnitCount where bytes[position + index] != text.utf8Start[index] { return false }
        return true
    }

    // MARK: Warnings

    /// `{{user.id}}` is what other tools write.
    private mutating func warnOfBraces() {
        var end = position + 2
        while end < bytes.count, end < position + 200, bytes[end] != UInt8(ascii: "}") { end += 1 }
        guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "}"), bytes[end + 1] == UInt8(ascii: "}") else {
            return
        }
        let inside = String(decoding: bytes[position + 2..<end], as: UTF8.self)
        guard let expression = try? Expression(parsing: inside), !expression.isConstant else { return }
        let path = expression.text.split(separator: " ").joined(separator: " ")
        warnings.append(
            ExpressionWarning(
                "'{{…}}' is plain text here",
                at: position..<end + 2,
                help: "Write '${\(path)}' for the value of \(path)."
            )
        )
    }

    /// A text like `$.id` or `steps.login.data` is never evaluated, though it looks as if it should be.
    private mutating func warnOfLiteralPath(_ parts: [Template.Part]) {
        guard parts.count == 1, case .literal(let text) = parts[0], text.utf8.count < 200,
            text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }),
            let expression = try? Expression(parsing: text), expression.references.count == 1,
            let path = expression.references.first, path.range == 0..<text.utf8.count
        else { return }
        let roots = ["steps", "inputs", "secrets", "session", "vars", "manifest"]
        guard
            path.name == "$" && !(path.segments.isEmpty && path.isComplete)
                || roots.contains(path.name) && !path.segments.isEmpty
        else { return }
        warnings.append(
            ExpressionWarning(
                "this looks like a path, but it is plain text here",
                at: 0..<bytes.count,
                help: "Write '${\(text)}' for the value of \(text)."
            )
        )
    }
}
