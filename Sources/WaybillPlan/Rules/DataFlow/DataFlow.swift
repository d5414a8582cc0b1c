import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// `steps.ID` is used only where that step has surely run before, and only fields that it has.
struct DataFlow: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.manifest.graphs.values.flatMap { graph -> [Diagnostic] in
            let flow = GraphFlow(subject: subject, graph: graph)
            flow.visit()
            return flow.diagnostics
        }
    }
}

/// One walk through a graph, in the order in which it runs.
final class GraphFlow {
    let subject: RuleSubject
    let graph: Definition<Graph>
    var diagnostics: [Diagnostic] = []

    /// Every step of the graph by its id.
    private(set) var all: [String: Step] = [:]
    /// Whether some step calls what does not exist.
    private(set) var callsUnknown = false
    /// The steps that may have run, and whether it is sure that they have passed.
    private(set) var visible: [String: Certainty] = [:]

    /// Steps that have ended, with how sure it is that they have passed.
    typealias Ended = [(id: String, certainty: Certainty)]

    /// What checks the references of expressions against what is visible at the time.
    private lazy var visitor = UseVisitor { [unowned self] use in
        for reference in use.text.references where reference.name == "steps" {
            if let diagnostic = check(reference, in: use.text) { diagnostics.append(diagnostic) }
        }
    }

    init(subject: RuleSubject, graph: Definition<Graph>) {
        self.subject = subject
        self.graph = graph
    }

    func visit() {
        let graph = graph.value
        collect(graph.body.steps)
        collect(graph.finally?.steps ?? [])
        graph.settings.visitUses(visitor)
        let ended = visit(graph.body, onFailure: graph.onFailure)
        for (id, certainty) in ended { visible[id] = certainty }
        visitFinally(graph.finally, after: ended)
        for (id, certainty) in ended { visible[id] = certainty }
        for output in graph.outputs { output.visitUses(visitor, .end, .result) }
    }

    private func collect(_ steps: [Step]) {
        for step in steps {
            if let id = step.effectiveID { all[id] = step }
            switch step.action {
            case .call(let call): callsUnknown = callsUnknown || subject.manifest.endpoints[call.name.value] == nil
            case .graph(let call): callsUnknown = callsUnknown || subject.manifest.graphs[call.name.value] == nil
            case .request, .group, .values, .end: break
            }
            collect(step.steps)
        }
    }

    private func visitFinally(_ finally: Group?, after ended: Ended) {
        guard let finally else { return }
        for (id, _) in ended { visible[id] = .uncertain("'finally' also runs after a failure") }
        for (id, _) in visit(finally, onFailure: .collect) { visible[id] = nil }
    }

    // MARK: Groups

    /// Checks the steps of a group, and says what is visible once it has run.
    private func visit(_ group: Group, onFailure: FailureMode) -> Ended {
        var ended = group.order == .chain ? visitChain(group, onFailure) : visitBatch(group)
        // After 'collect' what follows runs only if all have passed; after 'continue' it runs in any case.
        if onFailure == .continue {
            ended = ended.uncertain("the \(group.order) goes on after a failure (onFailure: continue)")
        }
        return ended
    }

    private func visitChain(_ chain: Group, _ onFailure: FailureMode) -> Ended {
        var ended: Ended = []
        var mayHaveEnded = false
        for step in chain.steps {
            for name in step.flow?.needs ?? [] { diagnostics.append(misplaced(name)) }
            var own = visit(step)
            let goesOn = "the chain goes on after a failure (onFailure: \(onFailure))"
            for (id, certainty) in onFailure == .stop ? own : own.uncertain(goesOn) { visible[id] = certainty }
            if mayHaveEnded { own = own.uncertain("the chain may end before it") }
            ended += own
            if case .end = step.action { mayHaveEnded = true }
        }
        for (id, _) in ended { visible[id] = nil }
        return ended
    }

    private func visitBatch(_ batch: Group) -> Ended {
        let needs = BatchNeeds(batch, callsUnknown: callsUnknown)
        diagnostics += needs.diagnostics
        var ended = [Ended](repeating: [], count: batch.steps.count)
        for index in needs.order {
            let seen = needs.needed[index].flatMap { ended[$0] }
            for (id, certainty) in seen { visible[id] = certainty }
            ended[index] = visit(batch.steps[index])
            for (id, _) in seen { visible[id] = nil }
        }
        return ended.flatMap { $0 }
    }

    /// Checks a step, and says what is visible once it has ended.
    private func visit(_ step: Step) -> Ended {
        step.visitUses(outside: visitor, inside: visitor)
        var own: Ended = []
        if case .group(let inner) = step.action { own = visit(inner, onFailure: step.onFailure) }
        // The steps inside a 'forEach' are there once an element, and can be seen there only.
        if step.flow?.forEach != nil { own = [] }
        if let id = step.effectiveID { own.append((id, .certain)) }
        if step.flow?.when != nil { own = own.uncertain("it runs only when its condition holds") }
        if step.onFailure == .continue { own = own.uncertain("its failure is tolerated (onFailure: continue)") }
        return own
    }

    private func misplaced(_ name: Spanned<String>) -> Diagnostic {
        Diagnostic(
            "misplaced-key",
            "'needs' has no meaning here: the steps of a chain run in order anyway",
            at: name.span
        )
    }
}

/// Whether a step that may have run has surely passed.
enum Certainty {
    /// It has.
    case certain
    /// It may not have, for this reason.
    case uncertain(String)
}

extension [(id: String, certainty: Certainty)] {
    /// The same steps, none of them sure any more.
    fileprivate func uncertain(_ reason: String) -> Self {
        map { step in
            if case .certain = step.certainty { (step.id, .uncertain(reason)) } else { step }
        }
    }
}
