import WaybillExpressions
import WaybillJSON

/// Replaces each element of a list, or any other value as a whole, by a template in which it is `item`: `map:
/// TEMPLATE`.
struct MapStage: FilterStage {
    static let key = "map"
    var keepsElements: Bool { true }

    let template: ValueTemplate

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let template = decoder.valueTemplate(node) else { return nil }
        self.template = template
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.value(template, .response, .data, item: true)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        guard let elements = data.value.json.array else {
            return try template.value(in: data.scope(of: data.value.json))
        }
        var values = data.newList
        var isSecret = data.value.isSecret
        try data.forEach(in: elements) { (element) throws(EvaluationFailure) in
            let value = try template.value(in: data.scope(of: element))
            try values.append(value.json)
            isSecret = isSecret || value.isSecret
        }
        return ScopeValue(.array(values.elements), isSecret: isSecret)
    }
}
