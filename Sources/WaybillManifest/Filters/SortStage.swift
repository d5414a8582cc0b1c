import WaybillExpressions
import WaybillJSON

/// Sorts a list, numbers by value and strings by code points: `sort: {by: EXPR, order: asc|desc}`.
///
/// Elements that compare as equal keep their order.
struct SortStage: FilterStage {
    static let key = "sort"
    var keepsElements: Bool { true }

    let by: ManifestExpression?
    let isDescending: Bool

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        by = node["by"].flatMap { decoder.comparedExpression($0) }
        isDescending = node["order"]?.text == "desc"
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.expression(by, .response, .control, item: true)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var elements: [JSON] = []
        var keys: [JSON] = []
        try data.forEachElement { (element) throws(EvaluationFailure) in
            elements.append(element)
            keys.append(try data.comparedValue(of: element, by: by))
        }
        if let kind = keys.first?.kind,
            let other = keys.first(where: { $0.kind != kind || ![.number, .string].contains($0.kind) })
        {
            throw EvaluationFailure(
                message:
                    "'sort' cannot compare \(other.kind.phrase) with \(kind.phrase): the values must be all numbers or all strings",
                span: by?.span ?? data.span
            )
        }
        guard let order = keys.sortedIndices(isDescending: isDescending, mustStop: { WorkLimit.isReached }) else {
            throw data.refusal(WorkLimit.message)
        }
        return data.list(order.map { elements[$0] })
    }
}
