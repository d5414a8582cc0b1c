import WaybillExpressions

/// Keeps the first elements of a list: `limit: N`.
struct LimitStage: FilterStage {
    static let key = "limit"

    let count: Int

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let count = decoder.integer(node) else { return nil }
        self.count = count
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        try data.prefix(count)
    }
}
