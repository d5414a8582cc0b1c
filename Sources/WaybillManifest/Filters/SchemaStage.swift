import WaybillExpressions
import WaybillSchema

/// Rejects data that a JSON Schema does not accept: `schema: SCHEMA`, or the path of a file.
struct SchemaStage: FilterStage {
    static let key = "schema"
    var keepsElements: Bool { true }

    let schema: JSONSchema

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let schema = decoder.schema(node) else { return nil }
        self.schema = schema
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        guard let violation = schema.validate(data.value.json, limit: 1).first else { return data.value }
        throw data.refusal(violation.sentence)
    }
}
