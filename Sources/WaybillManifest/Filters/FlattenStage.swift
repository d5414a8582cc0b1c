import WaybillExpressions
import WaybillJSON

/// Replaces each list in a list by its elements: `flatten: true`.
struct FlattenStage: FilterStage {
    static let key = "flatten"

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {}

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var elements: [JSON] = []
        try data.forEachElement { elements += $0.array ?? [$0] }
        return data.list(elements)
    }
}
