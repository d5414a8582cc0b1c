/// Parses a template into literal text and expressions, and warns about constructs that are probably not intended.
struct TemplateScanner {
    private(set) var warnings: [ExpressionWarning] = []
    private var lexer: TemplateLexer
    private var bytes: ArraySlice<UInt8> { lexer.bytes }

    init(_ text: ArraySlice<UInt8>) {
        lexer = TemplateLexer(text)
    }

    mutating func parts() throws(ExpressionSyntaxError) -> [Template.Part] {
        var parts: [Template.Part] = []
        // Most templates have at most one literal and one expression.
        parts.reserveCapacity(2)
        var literal = ""
        while let token = lexer.next() {
            switch token {
            case .literal(let range):
                literal += String(decoding: bytes[range], as: UTF8.self)
                for index in range.dropLast() where bytes[index] == UInt8(ascii: "{") { warnOfBraces(at: index) }
            case .escape:
                literal += "${"
            case .expression(let range):
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                let expression = try Expression(parsing: bytes[range])
                warnings += expression.warnings
                parts.append(.expression(expression))
            case .unclosed(_, let openString?):
                throw ExpressionSyntaxError("unterminated string", at: openString..<openString + 1)
            case .unclosed(let start, nil):
                throw ExpressionSyntaxError(
                    "unclosed '${'",
                    at: start..<start + 2,
                    help: "Close it with '}'. To write a literal '${', use '$${'."
                )
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        warnOfLiteralPath(parts)
        return parts
    }

    // MARK: Warnings

    /// Warns about `{{user.id}}`, which other tools use.
    private mutating func warnOfBraces(at start: Int) {
        guard bytes[start + 1] == UInt8(ascii: "{") else { return }
        var end = start + 2
        while end < bytes.endIndex, end < start + 200, bytes[end] != UInt8(ascii: "}") { end += 1 }
        guard end + 1 < bytes.endIndex, bytes[end] == UInt8(ascii: "}"), bytes[end + 1] == UInt8(ascii: "}") else {
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

    /// Warns about a literal such as `$.id` or `steps.login.data`, which looks like an expression but is never
    /// evaluated.
    private mutating func warnOfLiteralPath(_ parts: [Template.Part]) {
        guard parts.count == 1, case .literal(let text) = parts[0], let path = Template.path(meantBy: text) else {
            return
        }
        warnings.append(
            ExpressionWarning(
                "this looks like a path, but it is plain text here",
                at: bytes.indices,
                help: "Write '${\(path)}' for the value of \(path)."
            )
        )
    }
}

extension Template {
    /// Returns the path that a literal text, such as `$.id`, `steps.login.data` or `$secrets.key`, looks like; `nil` if
    /// it does not look like a path.
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
