import WaybillExpressions
import WaybillJSON

/// Removes the elements of a list that are equal to an earlier one, as a whole or in the value of an expression:
/// `unique: {by: EXPR}`.
struct UniqueStage: FilterStage {
    static let key = "unique"

    let by: ManifestExpression?

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        by = node["by"].flatMap { decoder.comparedExpression($0) }
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.expression(by, .response, .control, item: true)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var seen: Set<JSON> = []
        var kept: [JSON] = []
        try data.forEachElement { (element) throws(EvaluationFailure) in
            if seen.insert(try data.comparedValue(of: element, by: by)).inserted { kept.append(element) }
        }
        return data.list(kept)
    }
}
