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
        var limit = WorkLimit.Check()
        var isStopped = false
        let order = keys.indices.sorted { left, right in
            // The order of a sort that was stopped is not used.
            isStopped = isStopped || limit.isReached(before: Self.work(keys[left], keys[right]))
            if isStopped { return left < right }
            if JSON.precedes(keys[left], keys[right]) { return !isDescending }
            if JSON.precedes(keys[right], keys[left]) { return isDescending }
            return left < right
        }
        if isStopped { throw data.refusal(WorkLimit.message) }
        return data.list(order.map { elements[$0] })
    }

    /// Returns the work for a comparison, in the units of `WorkLimit.Check`.
    private static func work(_ left: JSON, _ right: JSON) -> Int {
        switch (left, right) {
        case (.number(let left), .number(let right)): left.lengthLimit + right.lengthLimit
        case (.string(let left), .string(let right)): 16 + min(left.utf8.count, right.utf8.count)
        default: 16
        }
    }
}
