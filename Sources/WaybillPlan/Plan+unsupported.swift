import OrderedCollections
package import WaybillDiagnostics
import WaybillManifest

/// What can be planned and not run yet.
extension Plan {
    /// What the plan asks for that this version cannot do. Nothing of a manifest is ever passed over in silence, so a plan
    /// is run only when there is nothing here.
    package var unsupported: [Diagnostic] {
        var found = Unsupported()
        for graph in graphs { found.visit(graph) }
        for graph in subgraphs.values.sorted(by: { $0.name < $1.name }) { found.visit(graph) }
        return found.diagnostics.sortedByPlace()
    }
}

private struct Unsupported {
    private(set) var diagnostics: [Diagnostic] = []
    private var seen: Set<SourceSpan> = []

    mutating func visit(_ graph: GraphPlan) {
        visit(graph.body)
        if let finally = graph.finally { visit(finally) }
    }

    private mutating func visit(_ group: GroupPlan) {
        for step in group.steps {
            switch step.work {
            case .request(let request): visit(request)
            case .group(let group): visit(group)
            case .graph, .values, .end: break
            }
        }
    }

    private mutating func visit(_ request: RequestPlan) {
        for entry in request.settings.entries where !entry.value.isSupported {
            report(entry.value.name.rawValue, at: entry.span)
        }
    }

    private mutating func report(_ what: String, at span: SourceSpan) {
        guard seen.insert(span).inserted else { return }
        diagnostics.append(.notSupported(what, severity: .error, at: span))
    }
}
