import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// `steps.ID` is used only where that step has surely run before, and only fields that it has.
struct DataFlow: ManifestRule {
    func check(_ manifest: Manifest) -> [Diagnostic] {
        manifest.graphs.values.flatMap { graph -> [Diagnostic] in
            var flow = GraphFlow(manifest: manifest, graph: graph)
            flow.visit()
            return flow.diagnostics
        }
    }
}

/// One walk through a graph, in the order in which it runs.
private struct GraphFlow {
    let manifest: Manifest
    let graph: Definition<Graph>
    private(set) var diagnostics: [Diagnostic] = []

    /// Every step of the graph by its id.
    private var all: [String: Step] = [:]
    /// The steps that may have run, and whether it is sure that they have passed.
    private var visible: [String: Certainty] = [:]

    private enum Certainty {
        case certain
        case uncertain(because: String)
    }

    init(manifest: Manifest, graph: Definition<Graph>) {
        self.manifest = manifest
        self.graph = graph
    }

    mutating func visit() {
        collect(graph.value.body)
        check(graph.value.settings.uses)
        for (id, certainty) in visit(graph.value.body, onFailure: graph.value.onFailure) { visible[id] = certainty }
        check(graph.value.outputs.map { ExpressionUse($0.value, .end) })
    }

    private mutating func collect(_ group: Group) {
        for step in group.steps {
            if let id = step.effectiveID { all[id] = step }
            if case .group(let inner) = step.action { collect(inner) }
        }
    }

    /// Checks the steps of a group, and says what is visible once it has run.
    private mutating func visit(_ group: Group, onFailure: FailureMode) -> [(id: String, Certainty)] {
        var ended: [(id: String, certainty: Certainty)] = []
        for step in group.steps {
            check(step.ownUses)
            var own: [(id: String, certainty: Certainty)] = []
            if case .group(let inner) = step.action { own = visit(inner, onFailure: step.onFailure) }
            if let id = step.effectiveID { own.append((id, .certain)) }
            if step.onFailure == .continue {
                own = own.map { ($0.id, .uncertain(because: "its failure is tolerated (onFailure: continue)")) }
            }
            ended += own
            // In a chain each step sees those before it; in a batch none sees another.
            guard group.order == .chain else { continue }
            let goesOn = Certainty.uncertain(because: "the chain goes on after a failure (onFailure: \(onFailure))")
            for (id, certainty) in own { visible[id] = onFailure == .stop ? certainty : goesOn }
        }
        for (id, _) in ended { visible[id] = nil }
        // After 'collect' what follows runs only if all have passed; after 'continue' it runs in any case.
        guard onFailure == .continue else { return ended }
        let goesOn = Certainty.uncertain(because: "the \(group.order) goes on after a failure (onFailure: continue)")
        return ended.map { ($0.id, goesOn) }
    }

    // MARK: References

    private mutating func check(_ uses: [ExpressionUse]) {
        for use in uses {
            for reference in use.holder.references where reference.name == "steps" {
                if let diagnostic = check(reference, in: use.holder) { diagnostics.append(diagnostic) }
            }
        }
    }

    private func check(_ reference: Reference, in holder: any ExpressionHolder) -> Diagnostic? {
        guard let segment = reference.segments.first, let id = segment.name else {
            return Diagnostic(
                "unknown-step",
                "'steps' is followed by the id of a step",
                at: holder.span(of: reference.nameRange)
            )
        }
        let span = holder.span(of: segment.range)
        guard let step = all[id] else {
            return .unknown("step", Spanned(id, at: span), among: all.keys.sorted())
        }
        guard let certainty = visible[id] else {
            return Diagnostic(
                "step-not-run",
                "step '\(id)' has not surely run before this",
                at: span,
                secondary: [.init(step.identifierSpan, "the step")],
                help: ["Steps of a batch run side by side; a chain runs them in order. Move one of the two."]
            )
        }
        return checkField(of: step, id: id, certainty: certainty, reference, in: holder)
    }

    private func checkField(
        of step: Step,
        id: String,
        certainty: Certainty,
        _ reference: Reference,
        in holder: any ExpressionHolder
    ) -> Diagnostic? {
        guard let field = reference.segments.dropFirst().first, let name = field.name else { return nil }
        let fields = step.fields
        guard fields.contains(name) else {
            return .unknown("field", Spanned(name, at: holder.span(of: field.range)), among: fields)
        }
        if case .uncertain(let reason) = certainty, !reference.isGuarded, name != "ok", name != "error" {
            return Diagnostic(
                "uncertain-step",
                "step '\(id)' may have failed: \(reason)",
                at: holder.span(of: reference.range),
                secondary: [.init(step.identifierSpan, "the step")],
                help: ["Use default(steps.\(id).\(name)…, VALUE), or exists(…)."]
            )
        }
        guard name == "outputs", let output = reference.segments.dropFirst(2).first, let wanted = output.name else {
            return nil
        }
        let known = outputs(of: step)
        guard !known.contains(wanted), !reference.isGuarded else { return nil }
        let help = known.isEmpty ? ["Step '\(id)' has no outputs; declare them under 'outputs'."] : []
        return .unknown("output", Spanned(wanted, at: holder.span(of: output.range)), among: known, help: help)
    }

    private func outputs(of step: Step) -> [String] {
        var names = step.outputs.map(\.name.value)
        switch step.action {
        case .call(let name, _, _):
            names += manifest.endpoints[name.value]?.value.request.outputs.map(\.name.value) ?? []
        case .request(let definition):
            names += definition.outputs.map(\.name.value)
        case .group:
            break
        }
        return names
    }
}

extension Step {
    /// The fields of the step that expressions can use.
    fileprivate var fields: [String] {
        if case .group = action { return ["ok", "error"] }
        return ["outputs", "data", "status", "headers", "time", "ok", "error"]
    }
}
