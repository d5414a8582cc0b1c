import WaybillDiagnostics
import WaybillManifest

/// The ids of the steps of a graph must differ.
struct StepIdentifiers: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.graphs.flatMap { graph in
            graph.repeated.compactMap { site in
                guard let id = site.step.effectiveID, let first = graph[id] else { return nil }
                return Diagnostic(
                    "duplicate-id",
                    "two steps of graph '\(graph.definition.name.value)' have the id '\(id)'",
                    at: site.step.identifierSpan,
                    secondary: [.init(first.step.identifierSpan, "first used here")],
                    help: site.step.id == nil
                        ? ["Without 'id', a step's id is the last part of what it calls; give this one an 'id'."] : []
                )
            }
        }
    }
}
