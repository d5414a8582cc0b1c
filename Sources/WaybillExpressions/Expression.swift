import WaybillJSON

/// An expression of Waybill, parsed and checked. It can be evaluated any number of times.
///
/// The language is JSONPath (RFC 9535) with its filter expressions, extended with bare names for the scope, arithmetic
/// and more functions (`ExpressionFunction.all`). Outside a filter, a path evaluates to its value, and a missing value
/// is an error. Inside `[?…]`, RFC 9535 applies.
package struct Expression: Sendable {
    /// The properties of an expression, in a class so that copying an expression costs next to nothing.
    private final class Parts: Sendable {
        let text: String
        let references: [Reference]
        let warnings: [ExpressionWarning]
        let isConstant: Bool
        let requirements: [PathRequirement]
        let compiled: CompiledExpression

        init(
            _ text: String,
            _ compiled: CompiledExpression,
            references: [Reference],
            warnings: [ExpressionWarning],
            isConstant: Bool,
            requirements: [PathRequirement]
        ) {
            self.text = text
            self.references = references
            self.warnings = warnings
            self.isConstant = isConstant
            self.requirements = requirements
            self.compiled = compiled
        }
    }

    private let parts: Parts

    /// The expression as it was written.
    package var text: String { parts.text }
    /// Every path that starts at a bare name or at `$`, including those inside filters, in the order of the text. If
    /// the expression is part of a larger text, their ranges refer to that text.
    package var references: [Reference] { parts.references }
    /// Warnings about constructs that are valid but probably not intended.
    package var warnings: [ExpressionWarning] { parts.warnings }
    /// The kinds that the value may have.
    package var resultType: ExpressionType { parts.compiled.type }
    /// Whether the value depends on the text alone.
    package var isConstant: Bool { parts.isConstant }
    /// Whether the value is marked by `raw()`.
    package var isRaw: Bool {
        if case .call(let function, _) = compiled.kind, case .markRaw = function.body { true } else { false }
    }
    /// The string, if the expression is a string literal.
    package var literalText: String? { if case .constant(.string(let text)) = compiled.kind { text } else { nil } }
    /// The paths that must be true or exist for the expression to hold, if it is a condition.
    package var requirements: [PathRequirement] { parts.requirements }
    var compiled: CompiledExpression { parts.compiled }

    /// Parses and checks an expression.
    package init(parsing text: String) throws(ExpressionSyntaxError) {
        try self.init(parsing: text, embeddedAt: 0)
    }

    /// Parses and checks an expression that starts at a byte of a larger text.
    init(parsing text: String, embeddedAt offset: Int) throws(ExpressionSyntaxError) {
        if let path = PlainPath(text, embeddedAt: offset) {
            let range = path.query.range
            let compiled = CompiledExpression(kind: .query(path.query), type: .any, context: .plain, range: range)
            parts = Parts(
                text,
                compiled,
                references: [path.reference],
                warnings: [],
                isConstant: false,
                requirements: [PathRequirement(isTrue: path.reference)]
            )
        } else {
            let syntax = try ExpressionParser.expression(text)
            var compiler = ExpressionCompiler(text, dialect: .waybill)
            let compiled = try compiler.value(syntax)
            let references = offset == 0 ? compiler.references : compiler.references.map { $0.moved(by: offset) }
            parts = Parts(
                text,
                compiled,
                references: references.count < 2
                    ? references : references.sorted { $0.range.lowerBound < $1.range.lowerBound },
                warnings: compiler.warnings,
                isConstant: !compiler.usesScope,
                requirements: PathRequirement.of(syntax)
            )
        }
    }

    /// Returns the value in a scope.
    package func evaluate(in scope: EvaluationScope) throws(EvaluationError) -> ScopeValue {
        var evaluator = Evaluator(scope)
        return try evaluator.result(compiled)
    }

    /// Returns whether the expression, which must be a condition, holds in a scope.
    package func condition(in scope: EvaluationScope) throws(EvaluationError) -> Bool {
        var evaluator = Evaluator(scope)
        let holds = try evaluator.truth(compiled, at: nil)
        try evaluator.account(at: compiled.range)
        if let holds { return holds }
        throw EvaluationError(.missing, "the value does not exist", at: compiled.range)
    }

    /// Returns the reason why the expression can never be a condition, if its type alone shows that.
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
