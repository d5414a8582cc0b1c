/// Parses a template into literal text and expressions, with warnings about what is probably not meant.
struct TemplateScanner {
    private(set) var warnings: [ExpressionWarning] = []
    /// What the expressions refer to.
    private(set) var references: [Reference] = []
    private var lexer: TemplateLexer
    private var bytes: [UInt8] { lexer.bytes }
    /// Where the template begins in a larger text, in which references have their ranges.
    private let offset: Int

    init(_ text: String, embeddedAt offset: Int = 0) {
        lexer = TemplateLexer(text)
        self.offset = offset
    }

    mutating func parts() throws(ExpressionSyntaxError) -> [Template.Part] {
        var parts: [Template.Part] = []
        // One text and one expression, as most have at most.
        parts.reserveCapacity(2)
        var literal = ""
        while let token = lexer.next() {
            switch token {
            case .literal(let range):
                literal += text(range)
                for index in range.dropLast() where bytes[index] == UInt8(ascii: "{") { warnOfBraces(at: index) }
            case .escape:
                literal += "${"
            case .expression(let range):
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.expression(try embedded(from: range.lowerBound, to: range.upperBound)))
            case .unclosed(_, let openString?):
                throw ExpressionSyntaxError("this string is never closed", at: openString..<openString + 1)
            case .unclosed(let start, nil):
                throw ExpressionSyntaxError(
                    "this '${' is never closed",
                    at: start..<start + 2,
                    help: "Close it with '}'; a literal '${' is written '$${'."
                )
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        warnOfLiteralPath(parts)
        return parts
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
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

    // MARK: Warnings

    /// `{{user.id}}` is what other tools write.
    private mutating func warnOfBraces(at start: Int) {
        guard bytes[start + 1] == UInt8(ascii: "{") else { return }
        var end = start + 2
        while end < bytes.count, end < start + 200, bytes[end] != UInt8(ascii: "}") { end += 1 }
        guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "}"), bytes[end + 1] == UInt8(ascii: "}") else {
            return
        }
        let inside = String(decoding: bytes[start + 2..<end], as: UTF8.self)
        guard let expression = try? Expression(parsing: inside), !expression.isConstant else { return }
        let path = expression.text.split(separator: " ").joined(separator: " ")
        warnings.append(
            ExpressionWarning(
                "'{{…}}' is plain text here",
                at: start..<end + 2,
                help: "Write '${\(path)}' for the value of \(path)."
            )
        )
    }

    /// A text like `$.id` or `steps.login.data` is never evaluated, though it looks as if it should be.
    private mutating func warnOfLiteralPath(_ parts: [Template.Part]) {
        guard parts.count == 1, case .literal(let text) = parts[0], let path = Template.path(meantBy: text) else {
            return
        }
        warnings.append(
            ExpressionWarning(
                "this looks like a path, but it is plain text here",
                at: 0..<bytes.count,
                help: "Write '${\(path)}' for the value of \(path)."
            )
        )
    }
}

extension Template {
    /// The path that a literal text, such as `$.id`, `steps.login.data` or `$secrets.key`, looks like; `nil` if it looks like
    /// none.
    package static func path(meantBy text: String) -> String? {
        let starts = ["$.", "$[", "steps.", "inputs.", "secrets.", "session.", "vars."]
        var path = text
        if text.hasPrefix("$"), starts.dropFirst(2).contains(where: text.dropFirst().hasPrefix) { path.removeFirst() }
        guard starts.contains(where: path.hasPrefix), !path.contains(" "), (try? Expression(parsing: path)) != nil
        else {
            return nil
        }
        return path
    }
}
