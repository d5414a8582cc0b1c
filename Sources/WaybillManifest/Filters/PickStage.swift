import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Keeps only some members of an object, or of each object of a list, in the order of their names here: `pick: [NAME]`.
struct PickStage: FilterStage {
    static let key = "pick"

    let names: [Spanned<String>]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        names = (node.sequence ?? []).compactMap { decoder.text($0) }
    }

    func visitUses(_ visitor: UseVisitor) {}

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        try data.changingObjects { object in
            var picked = JSONObject()
            for name in names { if let member = object[name.value] { picked[name.value] = member } }
            return picked
        }
    }
}

/// Removes some members of an object, or of each object of a list: `omit: [NAME]`.
struct OmitStage: FilterStage {
    static let key = "omit"

    let names: [Spanned<String>]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        names = (node.sequence ?? []).compactMap { decoder.text($0) }
    }

    func visitUses(_ visitor: UseVisitor) {}

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        try data.changingObjects { object in
            var rest = object
            for name in names { rest[name.value] = nil }
            return rest
        }
    }
}
