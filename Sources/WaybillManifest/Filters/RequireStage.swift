import WaybillExpressions
import WaybillJSON

/// A condition on the data: `require: EXPR`, or `require: {that, code, message}`.
///
/// If the condition does not hold, the server's code and message are taken from the data. A message that is no expression
/// is a text of the manifest, which may contain `${…}`.
struct RequireStage: FilterStage {
    static let key = "require"
    var keepsElements: Bool { true }

    let that: ManifestExpression
    let code: ManifestExpression?
    let message: ManifestExpression?
    let words: ScalarTemplate?

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        let isMapping = node.mapping != nil
        let that = (isMapping ? node["that"] : node).flatMap { decoder.condition($0) }
        code = isMapping ? node["code"].flatMap { decoder.expression($0) } : nil
        let text = isMapping ? node["message"] : nil
        let isExpression = text?.scalar.map(Self.isExpression) ?? false
        message = isExpression ? text.flatMap { decoder.expression($0) } : nil
        words = isExpression ? nil : text.flatMap { decoder.scalarTemplate($0) }
        guard let that else { return nil }
        self.that = that
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.expression(that, .response, .expectation)
        visitor.expression(code, .response, .message)
        visitor.expression(message, .response, .message)
        visitor.scalar(words, .response, .message)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        if try that.holds(in: data.scope) { return data.value }
        let words = try words?.shownText(in: data.scope) ?? data.valueIfAny(of: message)?.words
        throw EvaluationFailure(
            message: words ?? that.complaint(in: data.scope),
            span: that.span,
            code: data.valueIfAny(of: code)
        )
    }

    var serverMessage: ManifestExpression? { message }

    var hasOwnWords: Bool { words != nil }

    /// Whether a text is an expression, and does not only look like one, as a single word does.
    private static func isExpression(_ scalar: YAMLScalar) -> Bool {
        // A path with a mistake must not become a text.
        if scalar.text.hasPrefix("$"), !scalar.text.hasPrefix("${") { return true }
        guard let expression = try? Template.expression(in: scalar.text) else { return false }
        return ManifestExpression(expression, in: scalar).references.allSatisfy { $0.root != nil }
    }
}
