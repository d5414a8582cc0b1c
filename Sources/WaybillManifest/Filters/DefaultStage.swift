import WaybillExpressions
import WaybillJSON

/// Replaces data that is null or absent: `default: VALUE`.
struct DefaultStage: FilterStage {
    static let key = "default"
    var keepsElements: Bool { true }

    let value: ValueTemplate

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let value = decoder.valueTemplate(node) else { return nil }
        self.value = value
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.value(value, .response, .data)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        data.value.json == .null ? try value.value(in: data.scope) : data.value
    }
}
