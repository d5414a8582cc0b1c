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
            var renamed = JSONObject()
            for (name, value) in object {
                if let new = present.first(where: { $0.old.value.hasSameCodePoints(as: name) })?.new.value {
                    renamed[new] = value
                } else if !present.contains(where: { $0.new.value.hasSameCodePoints(as: name) }) {
                    renamed[name] = value
                }
            }
            return renamed
        }
    }
}
