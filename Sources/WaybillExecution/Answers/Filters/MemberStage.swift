import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A filter stage that changes the members of an object, or of each object in a list.
struct MemberStage {
    private let stage: Setting<FilterStage>
    private let data: ScopeValue
    private let scope: EvaluationScope

    init(_ stage: Setting<FilterStage>, _ data: ScopeValue, _ scope: EvaluationScope) {
        self.stage = stage
        self.data = data
        self.scope = scope
    }

    /// The data after the stage.
    func run() throws -> ScopeValue {
        var isSecret = data.isSecret
        guard let elements = data.json.array else {
            return ScopeValue(try changed(data.json, &isSecret), isSecret: isSecret)
        }
        let values = try elements.map { try changed($0, &isSecret) }
        return ScopeValue(.array(values), isSecret: isSecret)
    }

    private func changed(_ value: JSON, _ isSecret: inout Bool) throws -> JSON {
        guard let object = value.object else {
            throw FilterRunner.Refusal(
                message: "'\(stage.value.name)' changes the members of an object, and here is \(value.kind.phrase)",
                span: stage.span
            )
        }
        switch stage.value {
        case .pick(let names):
            var picked = JSONObject()
            for name in names { if let member = object[name.value] { picked[name.value] = member } }
            return .object(picked)
        case .omit(let names):
            var rest = object
            for name in names { rest[name.value] = nil }
            return .object(rest)
        case .rename(let names):
            return .object(renamed(object, names))
        case .set(let members):
            var changed = object
            var scope = scope
            scope.item = ScopeValue(value, isSecret: data.isSecret)
            for (name, expression) in members {
                let member = try expression.value(in: scope)
                isSecret = isSecret || member.isSecret
                changed[name.value] = member.json
            }
            return .object(changed)
        default: preconditionFailure("'\(stage.value.name)' does not change members")
        }
    }

    /// The members under their new names, in their old order. A member that had the new name before is gone.
    private func renamed(_ object: JSONObject, _ names: [(old: Spanned<String>, new: Spanned<String>)]) -> JSONObject {
        let present = names.filter { object[$0.old.value] != nil }
        var result = JSONObject()
        for (name, value) in object {
            if let new = present.first(where: { $0.old.value.hasSameCodePoints(as: name) })?.new.value {
                result[new] = value
            } else if !present.contains(where: { $0.new.value.hasSameCodePoints(as: name) }) {
                result[name] = value
            }
        }
        return result
    }
}
