import WaybillExpressions
import WaybillJSON

/// Concatenates several lists in order: `union: [EXPR]`. Elements that occur in several lists are repeated; `unique`
/// removes the duplicates.
struct UnionStage: FilterStage {
    static let key = "union"
    var keepsElements: Bool { lists.allSatisfy(\.expression.keepsElements) }

    let lists: [ManifestExpression]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        lists = (node.sequence ?? []).compactMap { decoder.expression($0) }
    }

    func visitUses(_ visitor: UseVisitor) {
        for list in lists { visitor.expression(list, .response, .data) }
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var isSecret = data.value.isSecret
        var union = data.newList
        for list in lists {
            let part = try data.list(of: list)
            isSecret = isSecret || part.isSecret
            for element in part.elements { try union.append(element) }
        }
        return ScopeValue(.array(union.elements), isSecret: isSecret)
    }
}
