import WaybillData
import WaybillManifest

/// Which fields of which steps the expressions of a graph use, so that nothing else need be kept of the answers.
struct StepUses {
    /// The fields by the id of the step.
    private(set) var fields: [String: StepFields] = [:]

    init(of graph: Graph) {
        var fields: [String: StepFields] = [:]
        let visitor = UseVisitor { use in
            for reference in use.text.references where reference.name == "steps" {
                guard let id = reference.segments.first?.name else { continue }
                let field = reference.segments.dropFirst().first?.name
                fields[id, default: []].formUnion(field.flatMap { StepFields.names[$0] } ?? .all)
            }
        }
        func visit(_ steps: [Step]) {
            for step in steps {
                step.visitUses(outside: visitor, inside: visitor)
                visit(step.steps)
            }
        }
        graph.settings.visitUses(visitor)
        visit(graph.body.steps)
        visit(graph.finally?.steps ?? [])
        for output in graph.outputs { output.visitUses(visitor, .end, .result) }
        self.fields = fields
    }
}
