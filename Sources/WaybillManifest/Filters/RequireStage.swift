import WaybillExpressions
import WaybillJSON

/// A condition on the data: `require: EXPR`, or `require: {that, code, message}`.
///
/// If the condition does not hold, the server's code and message are taken from the data.
struct RequireStage: FilterStage {
    static let key = "require"

    let that: ManifestExpression
    let code: ManifestExpression?
    let message: ManifestExpression?

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        let isMapping = node.mapping != nil
        let that = (isMapping ? node["that"] : node).flatMap { decoder.condition($0) }
        code = isMapping ? node["code"].flatMap { decoder.expression($0) } : nil
        message = isMapping ? node["message"].flatMap { decoder.expression($0) } : nil
        guard let that else { return nil }
        self.that = that
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.expression(that, .response, .expectation)
        visitor.expression(code, .response, .message)
        visitor.expression(message, .response, .message)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        if try that.holds(in: data.scope) { return data.value }
        throw EvaluationFailure(
            message: data.valueIfAny(of: message)?.words ?? that.complaint(in: data.scope),
            span: that.span,
            code: data.valueIfAny(of: code)
        )
    }

    var serverMessage: ManifestExpression? { message }
}
