import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A graph with a state cannot be run by a step, which could run it more than once, or not at all.
struct GraphState: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.steps.compactMap { site in
            guard case .graph(let call) = site.step.action, let graph = subject.manifest.graphs[call.name.value],
                let state = graph.value.state.first
            else { return nil }
            return Diagnostic(
                "state-in-step",
                "a step cannot run graph '\(call.name.value)', because it has a 'state'",
                at: call.name.span,
                secondary: [.init(state.next.name.span, "the state")],
                help: ["Move 'state' to the graph that is not run by a step, and pass the value 'with' the step."]
            )
        }
    }
}
