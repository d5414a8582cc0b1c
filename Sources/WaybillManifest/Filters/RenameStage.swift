import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Renames members of an object, or of each object of a list, which keep their order: `rename: {OLD: NEW}`.
///
/// Two members that would have the same name are an error: one of them would be lost.
struct RenameStage: FilterStage {
    static let key = "rename"
    var keepsElements: Bool { true }

    let names: [(old: Spanned<String>, new: Spanned<String>)]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        names = decoder.constantNames(node).compactMap { old, node in decoder.text(node).map { (old, $0) } }
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        try data.changingObjects { (object) throws(EvaluationFailure) in
            let present = names.filter { object[$0.old.value] != nil }
            let pairs = present.map { (CodePoints($0.old.value), $0.new.value) }
            let newNames = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            var renamed = JSONObject()
            for (name, value) in object {
                let name = newNames[CodePoints(name)] ?? name
                guard renamed[name] == nil else {
                    throw data.refusal(
                        "'\(Self.key)' would give two members the name '\(name)'; remove one of them with 'omit'"
                    )
                }
                renamed[name] = value
            }
            return renamed
        }
    }
}
