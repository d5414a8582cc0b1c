import WaybillExpressions
import WaybillJSON

/// Makes one list of the elements of several lists, in their order: `union: [EXPR]`. Elements that are in several lists
/// stay as often as they are there; `unique` removes the repeated ones.
struct UnionStage: FilterStage {
    static let key = "union"

    let lists: [ManifestExpression]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        lists = (node.sequence ?? []).compactMap { decoder.expression($0) }
    }

    func visitUses(_ visitor: UseVisitor) {
        for list in lists { visitor.expression(list, .response, .data) }
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var isSecret = data.value.isSecret
        var elements: [JSON] = []
        for list in lists {
            let part = try data.list(of: list)
            isSecret = isSecret || part.isSecret
            elements += part.elements
        }
        return ScopeValue(.array(elements), isSecret: isSecret)
    }
}
