/// An expression of Waybill: parsed, checked, and ready to be evaluated any number of times.
///
/// The language is JSONPath (RFC 9535) and its filter expressions, with bare names for the scope, arithmetic and more
/// functions (`ExpressionFunction.all`). Outside a filter a path is its value and a missing value is an error; inside
/// `[?…]` RFC 9535 holds.
package struct Expression: Sendable {
    /// The expression as it was written.
    package let text: String
    /// Every path that begins at a bare name or at `$`, also those inside filters, in the order of the text.
    package let references: [Reference]
    /// Things that work but are probably not meant.
    package let warnings: [ExpressionWarning]
    /// What is known of the type of the value.
    package let resultType: ExpressionType
    /// Whether the value depends on the text alone.
    package let isConstant: Bool
    let compiled: CompiledExpression

    /// Parses and checks an expression.
    package init(parsing text: String) throws(ExpressionSyntaxError) {
        let syntax = try ExpressionParser.expression(text)
        var compiler = ExpressionCompiler(text, dialect: .waybill)
        self.compiled = try compiler.value(syntax)
        self.text = text
        self.references = compiler.references.sorted { $0.range.lowerBound < $1.range.lowerBound }
        self.warnings = compiler.warnings
        self.resultType = compiled.type
        self.isConstant = !compiler.usesScope
    }

    /// The value in a scope.
    package func evaluate(in scope: EvaluationScope) throws(EvaluationError) -> ScopeValue {
        var evaluator = Evaluator(scope)
        return try evaluator.result(compiled)
    }

    /// Whether the expression, which must be a condition, holds in a scope.
    package func condition(in scope: EvaluationScope) throws(EvaluationError) -> Bool {
        var evaluator = Evaluator(scope)
        if let holds = try evaluator.truth(compiled, at: nil) { return holds }
        throw EvaluationError(.missing, "there is no such value", at: compiled.range)
    }

    /// The reason why the expression can never be a condition, if its type alone shows it.
    package func checkCondition() -> ExpressionSyntaxError? {
        ExpressionCompiler.refusalAsCondition(compiled)
    }
}

extension Expression: Equatable {
    /// Whether two expressions have the same text.
    package static func == (left: Expression, right: Expression) -> Bool {
        left.text.hasSameCodePoints(as: right.text)
    }
}
