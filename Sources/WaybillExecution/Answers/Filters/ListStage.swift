import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A filter stage that goes through the elements of a list, each of which is `item`.
struct ListStage {
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
        switch stage.value {
        case .map(let template): return try map(template)
        case .where(let condition): return list(try elements().filter { try condition.holds(in: scope(of: $0)) })
        case .sort(let key, let isDescending): return list(try sorted(by: key, isDescending: isDescending))
        case .unique(let key):
            var seen: Set<JSON> = []
            return list(try elements().filter { seen.insert(try value(of: key, for: $0)).inserted })
        case .limit(let count): return list(Array(try elements().prefix(count)))
        case .flatten: return list(try elements().flatMap { $0.array ?? [$0] })
        default: preconditionFailure("'\(stage.value.name)' does not go through a list")
        }
    }

    private func list(_ elements: [JSON]) -> ScopeValue {
        ScopeValue(.array(elements), isSecret: data.isSecret)
    }

    private func elements() throws(FilterRunner.Refusal) -> [JSON] {
        if let elements = data.json.array { return elements }
        throw FilterRunner.Refusal(
            message: "'\(stage.value.name)' goes through a list, and the data is \(data.json.kind.phrase)",
            span: stage.span
        )
    }

    private func scope(of element: JSON) -> EvaluationScope {
        var scope = scope
        scope.item = ScopeValue(element, isSecret: data.isSecret)
        return scope
    }

    /// Each element of a list replaced, or else the value as a whole, which is `item` then too.
    private func map(_ template: ValueTemplate) throws(EvaluationProblem) -> ScopeValue {
        guard let elements = data.json.array else { return try template.value(in: scope(of: data.json)) }
        var values: [JSON] = []
        var isSecret = data.isSecret
        for element in elements {
            let value = try template.value(in: scope(of: element))
            values.append(value.json)
            isSecret = isSecret || value.isSecret
        }
        return ScopeValue(.array(values), isSecret: isSecret)
    }

    private func value(of key: ManifestExpression?, for element: JSON) throws(EvaluationProblem) -> JSON {
        guard let key else { return element }
        return try key.value(in: scope(of: element)).json
    }

    /// The elements in the order of their keys, numbers by value and texts by code points; those with equal keys stay in
    /// their order.
    private func sorted(by key: ManifestExpression?, isDescending: Bool) throws -> [JSON] {
        let elements = try elements()
        let keys = try elements.map { try value(of: key, for: $0) }
        guard let kind = keys.first?.kind else { return [] }
        if let other = keys.first(where: { $0.kind != kind || ![.number, .string].contains($0.kind) }) {
            throw FilterRunner.Refusal(
                message: "'sort' compares numbers or texts, and here is \(other.kind.phrase) beside \(kind.phrase)",
                span: key?.span ?? stage.span
            )
        }
        let order = keys.indices.sorted { left, right in
            if JSON.precedes(keys[left], keys[right]) { return !isDescending }
            if JSON.precedes(keys[right], keys[left]) { return isDescending }
            return left < right
        }
        return order.map { elements[$0] }
    }
}
