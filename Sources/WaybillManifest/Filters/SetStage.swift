import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Adds members to an object, or to each object of a list, which is `item`: `set: {NAME: EXPR}`.
struct SetStage: FilterStage {
    static let key = "set"
    var keepsElements: Bool { true }

    let members: [(name: Spanned<String>, value: ManifestExpression)]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        members = decoder.constantNames(node).compactMap { name, node in decoder.expression(node).map { (name, $0) } }
    }

    func visitUses(_ visitor: UseVisitor) {
        for member in members { visitor.expression(member.value, .response, .data, item: true) }
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var isSecret = data.value.isSecret
        var result = try data.changingObjects { object throws(EvaluationFailure) in
            let scope = data.scope(of: .object(object))
            var changed = object
            for (name, expression) in members {
                let value = try expression.value(in: scope)
                isSecret = isSecret || value.isSecret
                changed[name.value] = value.json
            }
            return changed
        }
        result.isSecret = isSecret
        return result
    }
}
