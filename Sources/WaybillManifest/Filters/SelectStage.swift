import WaybillExpressions

/// Replaces the data by the value of an expression, `select: EXPR`, or by a default if nothing matches, `select: {path,
/// default}`.
struct SelectStage: FilterStage {
    static let key = "select"
    var keepsElements: Bool { path.expression.keepsElements }

    let path: ManifestExpression
    let fallback: ValueTemplate?

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        let isMapping = node.mapping != nil
        fallback = isMapping ? node["default"].flatMap { decoder.valueTemplate($0) } : nil
        guard let path = (isMapping ? node["path"] : node).flatMap({ decoder.expression($0) }) else { return nil }
        self.path = path
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.expression(path, .response, .data)
        visitor.value(fallback, .response, .data)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        do {
            return try path.value(in: data.scope)
        } catch {
            guard let fallback else { throw error }
            return try fallback.value(in: data.scope)
        }
    }
}
