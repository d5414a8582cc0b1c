import WaybillExpressions
import WaybillJSON

/// Replaces each list in a list by its elements: `flatten: true`.
struct FlattenStage: FilterStage {
    static let key = "flatten"

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {}

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        data.list(try data.elements().flatMap { $0.array ?? [$0] })
    }
}
