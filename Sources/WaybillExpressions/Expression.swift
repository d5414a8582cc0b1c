import WaybillJSON

/// An expression of Waybill, parsed and checked. It can be evaluated any number of times.
///
/// The language is JSONPath (RFC 9535) with its filter expressions, extended with bare names for the scope, arithmetic
/// and more functions (`ExpressionFunction.all`). Outside a filter, a path evaluates to its value, and a missing value
/// is an error. Inside `[?…]`, RFC 9535 applies.
///
/// An expression may be part of a larger text. All ranges, also those of errors, are of UTF-8 bytes of that text.
package final class Expression: Sendable {
    /// The expression as it was written.
    package let text: String
    /// The location of the expression.
    package let range: Range<Int>
    /// Every path that starts at a bare name or at `$`, including those inside filters, in the order of the text.
    package let references: [Reference]
    /// Warnings about constructs that are valid but probably not intended.
    package let warnings: [ExpressionWarning]
    /// The constant expressions of XPath in it.
    package let xpaths: [XPathUse]
    /// The filters that it applies to values.
    package let filters: [FilterUse]
    /// The constant paths of the files that it reads.
    package let files: [String]
    /// Whether the value depends on more than the paths in it: on the clock, on randomness, on a file, or on a filter.
    package let isAmbient: Bool
    /// Whether the value depends on the text alone.
    package let isConstant: Bool
    private let syntax: ExpressionSyntax
    let compiled: CompiledExpression

    /// The paths that must be true or exist for the expression to hold, if it is a condition.
    package var requirements: [PathRequirement] { PathRequirement.of(syntax) }
    /// The kinds that the value may have.
    package var resultType: ExpressionType { compiled.type }
    /// Whether a list that it evaluates to has all elements of a list in the data: it is a path that selects one value, or
    /// several only by `[*]` at its end, perhaps in `default()` or `if(exists(…), …, …)`.
    package var keepsElements: Bool { compiled.keepsElements }
    /// Whether the value is marked by `raw()`.
    package var isRaw: Bool {
        if case .call(let function, _) = compiled.kind, case .markRaw = function.body { true } else { false }
    }
    /// The string, if the expression is a string literal.
    package var literalText: String? { if case .constant(.string(let text)) = compiled.kind { text } else { nil } }

    /// Parses and checks an expression.
    package convenience init(parsing text: String) throws(ExpressionSyntaxError) {
        try self.init(parsing: Array(text.utf8)[...])
    }

    /// Parses and checks an expression that is a part of a larger text.
    init(parsing part: ArraySlice<UInt8>) throws(ExpressionSyntaxError) {
        syntax = try ExpressionParser.expression(part)
        var compiler = ExpressionCompiler(part, dialect: .waybill)
        compiled = try compiler.value(syntax)
        text = String(decoding: part, as: UTF8.self)
        range = part.indices
        references = compiler.references.sorted { $0.range.lowerBound < $1.range.lowerBound }
        warnings = compiler.warnings
        xpaths = compiler.xpaths
        filters = compiler.filters
        files = compiler.files
        isAmbient = compiler.isAmbient
        isConstant = !compiler.usesScope
    }

    /// Returns the value in a scope.
    package func evaluate(in scope: EvaluationScope) throws(EvaluationError) -> ScopeValue {
        if let value = scope.environment.placeholder(for: self, in: scope) { return value }
        return try plainValue(in: scope)
    }

    /// Returns the value in a scope, also where a placeholder would stand for it.
    package func plainValue(in scope: EvaluationScope) throws(EvaluationError) -> ScopeValue {
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
        return ScopeText(text, isSecret: value.isSecret, isRaw: value.isRaw)
    }

    /// Returns the reason why the expression can never be a condition, if its type alone shows that.
    package func checkCondition() -> ExpressionSyntaxError? {
        ExpressionCompiler.refusalAsCondition(compiled)
    }
}
