import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Renames members of an object, or of each object of a list, which keep their order: `rename: {OLD: NEW}`.
///
/// A member that already has the new name is removed.
struct RenameStage: FilterStage {
    static let key = "rename"
    var keepsElements: Bool { true }

    let names: [(old: Spanned<String>, new: Spanned<String>)]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        names = decoder.constantNames(node).compactMap { old, node in decoder.text(node).map { (old, $0) } }
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        try data.changingObjects { object in
            let present = names.filter { object[$0.old.value] != nil }
            let pairs = present.map { (CodePoints($0.old.value), $0.new.value) }
            let newNames = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            let taken = Set(pairs.map { CodePoints($0.1) })
            var renamed = JSONObject()
            for (name, value) in object {
                let key = CodePoints(name)
                if let new = newNames[key] {
                    renamed[new] = value
                } else if !taken.contains(key) {
                    renamed[name] = value
                }
            }
            return renamed
        }
    }
}
