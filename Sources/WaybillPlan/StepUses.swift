import WaybillData
import WaybillManifest

/// Which fields of which steps the expressions of a graph use, so that nothing else need be kept of the answers.
struct StepUses {
    /// The fields by the id of the step.
    private(set) var fields: [String: StepFields] = [:]

    init(of graph: Graph) {
        add(graph.settings.uses)
        add(graph.outputs.map { ExpressionUse($0.value, .end) })
        add(graph.body)
    }

    private mutating func add(_ group: Group) {
        for step in group.steps {
            add(step.ownUses)
            if case .group(let inner) = step.action { add(inner) }
        }
    }

    private mutating func add(_ uses: [ExpressionUse]) {
        for reference in uses.flatMap(\.holder.references) where reference.name == "steps" {
            guard let id = reference.segments.first?.name else { continue }
            let field = reference.segments.dropFirst().first?.name
            fields[id, default: []].formUnion(field.flatMap { StepFields.names[$0] } ?? [.outputs, .data, .response])
        }
    }
}

extension Step {
    /// Every use of the expression language that is written with the step itself, not with the steps inside it.
    var ownUses: [ExpressionUse] {
        var uses = settings.uses + outputs.map { ExpressionUse($0.value, .answer) }
        switch action {
        case .call(_, let arguments, _):
            uses += arguments.flatMap(\.value.templates).map { ExpressionUse($0, .request) }
        case .request(let definition):
            uses += definition.uses
        case .group:
            break
        }
        return uses
    }
}
