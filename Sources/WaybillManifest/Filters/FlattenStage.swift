import WaybillExpressions
import WaybillJSON

/// Replaces each list in a list by its elements: `flatten: true`.
struct FlattenStage: FilterStage {
    static let key = "flatten"

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {}

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var list = data.newList
        try data.forEachElement { (element) throws(EvaluationFailure) in
            for part in element.array ?? [element] { try list.append(part) }
        }
        return data.list(list.elements)
    }
}
