extension Template {
    /// The expression of an expression position, where `EXPR` and `${EXPR}` mean the same.
    package static func expression(in text: String) throws(ExpressionSyntaxError) -> EmbeddedExpression {
        guard text.utf8.drop(while: ExpressionParser.isSpace).starts(with: "${".utf8) else {
            return EmbeddedExpression(expression: try Expression(parsing: text), offset: 0)
        }
        let bytes = Array(text.utf8)
        let start = bytes.firstIndex { !ExpressionParser.isSpace($0) } ?? 0
        let end = (bytes.lastIndex { !ExpressionParser.isSpace($0) } ?? start) + 1
        var scanner = TemplateScanner(String(decoding: bytes[start..<end], as: UTF8.self), embeddedAt: start)
        let parts: [Template.Part]
        do {
            parts = try scanner.parts()
        } catch {
            throw error.moved(by: start)
        }
        guard parts.count == 1, case .expression(let embedded) = parts[0] else {
            throw ExpressionSyntaxError(
                "'${…}' is not used inside an expression",
                at: start..<start + 2,
                help: "The whole value is an expression already: leave out '${' and '}'."
            )
        }
        return EmbeddedExpression(expression: embedded.expression, offset: embedded.offset + start)
    }
}
