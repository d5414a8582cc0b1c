import WaybillJSON

/// An expression inside a larger text. The ranges of its errors and references refer to that text.
package struct EmbeddedExpression: Sendable, Equatable {
    /// The expression; ranges in it are relative to its own text.
    package let expression: Expression
    /// Where the expression's text starts, in UTF-8 bytes of the larger text.
    package let offset: Int

    /// The location of the expression, in UTF-8 bytes of the larger text.
    package var range: Range<Int> { offset..<offset + expression.text.utf8.count }

    /// The references of the expression, with ranges in the larger text.
    package var references: [Reference] { expression.references }

    /// The warnings about the expression, with ranges in the larger text.
    package var warnings: [ExpressionWarning] { expression.warnings.map { $0.moved(by: offset) } }

    /// Returns the reason why the expression can never be a condition, with its range in the larger text.
    package func checkCondition() -> ExpressionSyntaxError? {
        expression.checkCondition()?.moved(by: offset)
    }

    /// Returns the value in a scope; ranges of errors refer to the larger text.
    package func evaluate(in scope: EvaluationScope) throws(EvaluationError) -> ScopeValue {
        do {
            return try expression.evaluate(in: scope)
        } catch {
            throw error.moved(by: offset)
        }
    }

    /// Returns whether the condition holds in a scope; ranges of errors refer to the larger text.
    package func condition(in scope: EvaluationScope) throws(EvaluationError) -> Bool {
        do {
            return try expression.condition(in: scope)
        } catch {
            throw error.moved(by: offset)
        }
    }

    /// Returns the value as a string: a string, a number as it was written, or a boolean.
    package func text(in scope: EvaluationScope) throws(EvaluationError) -> ScopeText {
        let value = try evaluate(in: scope)
        guard let text = value.json.scalarText else {
            throw EvaluationError(
                .type,
                "only a string, a number or a boolean can be inserted into a string, found \(value.json.kind.phrase)"
                    + (value.json.bytes == nil ? "" : "; to convert bytes to a string, write base64(x)"),
                at: range
            )
        }
        return ScopeText(text: text, isSecret: value.isSecret, isRaw: value.isRaw)
    }
}

extension Template {
    /// Parses the expression of an expression position, where `EXPR` and `${EXPR}` mean the same.
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
                "'${…}' is not valid inside an expression",
                at: start..<start + 2,
                help: "The whole value is already an expression: remove '${' and '}'."
            )
        }
        return EmbeddedExpression(expression: embedded.expression, offset: embedded.offset + start)
    }
}
