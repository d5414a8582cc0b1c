import WaybillDiagnostics
import WaybillManifest

/// The ids of a graph's steps differ.
struct StepIdentifiers: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var seen: [String: [String: SourceSpan]] = [:]
        subject.forEachStep { site in
            let (graph, step) = (site.graph, site.step)
            guard let id = step.effectiveID else { return }
            let span = step.identifierSpan
            if let first = seen[graph.name.value]?[id] {
                diagnostics.append(
                    Diagnostic(
                        "duplicate-id",
                        "two steps of graph '\(graph.name.value)' have the id '\(id)'",
                        at: span,
                        secondary: [.init(first, "first used here")],
                        help: step.id == nil
                            ? ["Without 'id' a step has the last part of what it calls; give this one an 'id'."]
                            : []
                    )
                )
            } else {
                seen[graph.name.value, default: [:]][id] = span
            }
        }
        return diagnostics
    }
}
