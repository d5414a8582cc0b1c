import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// A stage that is read from a list of names.
protocol NameListStage: FilterStage {
    var names: [Spanned<String>] { get }

    init(names: [Spanned<String>])
}

extension NameListStage {
    var keepsElements: Bool { true }

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        self.init(names: decoder.texts(in: node))
    }
}

/// Keeps only some members of an object, or of each object of a list, in the order of the names: `pick: [NAME]`.
struct PickStage: NameListStage {
    static let key = "pick"

    let names: [Spanned<String>]

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        try data.changingObjects { object in
            var picked = JSONObject()
            for name in names { if let member = object[name.value] { picked[name.value] = member } }
            return picked
        }
    }
}

/// Removes some members of an object, or of each object of a list: `omit: [NAME]`.
struct OmitStage: NameListStage {
    static let key = "omit"

    let names: [Spanned<String>]

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        let omitted = Set(names.map { CodePoints($0.value) })
        return try data.changingObjects { object in
            JSONObject(object.filter { !omitted.contains(CodePoints($0.name)) })
        }
    }
}
