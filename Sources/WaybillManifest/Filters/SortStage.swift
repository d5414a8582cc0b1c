import WaybillExpressions
import WaybillJSON

/// Sorts a list, numbers by value and strings by code points: `sort: {by: EXPR, order: asc|desc}`.
///
/// Elements that compare as equal keep their order.
struct SortStage: FilterStage {
    static let key = "sort"

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
        let elements = try data.elements()
        var keys: [JSON] = []
        for element in elements { keys.append(try data.comparedValue(of: element, by: by)) }
        if let kind = keys.first?.kind,
            let other = keys.first(where: { $0.kind != kind || ![.number, .string].contains($0.kind) })
        {
            throw EvaluationFailure(
                message:
                    "'sort' cannot compare \(other.kind.phrase) with \(kind.phrase): the values must be all numbers or all strings",
                span: by?.span ?? data.span
            )
        }
        let order = keys.indices.sorted { left, right in
            if JSON.precedes(keys[left], keys[right]) { return !isDescending }
            if JSON.precedes(keys[right], keys[left]) { return isDescending }
            return left < right
        }
        return data.list(order.map { elements[$0] })
    }
}
