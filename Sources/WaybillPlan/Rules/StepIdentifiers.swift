import WaybillDiagnostics
import WaybillManifest

/// The ids of a graph's steps differ.
struct StepIdentifiers: ManifestRule {
    func check(_ manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var seen: [String: [String: SourceSpan]] = [:]
        manifest.forEachStep { graph, _, step in
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
                            ? ["Without 'id' a step has the last part of its endpoint's name; give this one an 'id'."]
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

extension Step {
    /// Where the id of the step comes from: `id`, or the name of the endpoint.
    var identifierSpan: SourceSpan {
        if let id { return id.span }
        if case .call(let endpoint, _, _) = action { return endpoint.span }
        return span
    }
}
