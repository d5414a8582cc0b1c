import WaybillExpressions
import WaybillJSON

/// Keeps the elements for which a condition holds: `where: EXPR`.
struct WhereStage: FilterStage {
    static let key = "where"

    let condition: ManifestExpression

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let condition = decoder.condition(node) else { return nil }
        self.condition = condition
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.expression(condition, .response, .control, item: true)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var kept: [JSON] = []
        try data.forEachElement { (element) throws(EvaluationFailure) in
            if try condition.holds(in: data.scope(of: element)) { kept.append(element) }
        }
        return data.list(kept)
    }
}
