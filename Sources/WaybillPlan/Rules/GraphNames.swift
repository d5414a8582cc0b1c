import OrderedCollections
import WaybillDiagnostics
import WaybillManifest
import WaybillSchema

/// A graph that a step runs must exist, no graph may run itself, directly or indirectly, and the nesting and the size of
/// graphs are limited.
struct GraphNames: ManifestRule {
    /// The maximum nesting depth of graphs. Each level takes memory and stack for each element that is in flight.
    static let maximumDepth = 256
    /// The maximum number of steps of a graph and of the graphs that it runs, each counted once for each step that runs
    /// it. They are all reported when they are skipped.
    private static let maximumSteps = 100_000

    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        var calls: [String: [Spanned<String>]] = [:]
        for site in subject.steps {
            guard case .graph(let call) = site.step.action, !site.step.unknown.contains(.form) else { continue }
            if site.callsUnknown {
                guard !manifest.unknown.mayDefine(call.name.value, in: .graphs) else { continue }
                let isEndpoint = manifest.endpoints[call.name.value] != nil
                let help = isEndpoint ? ["'\(call.name.value)' is an endpoint; use 'call'."] : []
                let others = manifest.graphs.keys.filter { $0 != site.graph.name.value }
                diagnostics.append(.unknown("graph", call.name, among: others, help: help))
            } else {
                calls[site.graph.name.value, default: []].append(call.name)
            }
        }
        if let site = subject.requests.excess {
            let limit = RequestList.maximumOfCalledGraphs
            diagnostics.report(
                "graph-nesting",
                "the graphs that this step runs with its settings have more than \(limit) steps",
                at: site.step.span,
                help: [
                    "A graph that several steps run with settings counts once for each of them. Write the settings at the graph itself."
                ]
            )
        }
        return diagnostics + nesting(of: calls, in: subject)
    }

    /// Checks the paths from graph to graph.
    private func nesting(of calls: [String: [Spanned<String>]], in subject: RuleSubject) -> [Diagnostic] {
        let graphs = subject.manifest.graphs
        let calls = graphs.keys.map { calls[$0] ?? [] }
        let callees = calls.map { $0.compactMap { graphs.index(forKey: $0.value) } }
        let dependencies = DependencyOrder(callees)
        var diagnostics = dependencies.cycles.map { cycle in
            let call = calls[cycle.last][cycle.edge]
            let names = (cycle.nodes.map { graphs.keys[$0] } + [call.value]).joined(separator: " → ")
            return Diagnostic("graph-cycle", "this graph runs itself in a cycle: \(names)", at: call.span)
        }
        // The number of levels of each graph, including itself, and of its steps and those of the graphs that it runs.
        var depths = [Int](repeating: 0, count: graphs.count)
        var sizes = depths
        for graph in dependencies.order {
            let (own, inner) = (calls[graph], callees[graph])
            let deepest = inner.indices.max { depths[inner[$0]] < depths[inner[$1]] }
            depths[graph] = 1 + (deepest.map { depths[inner[$0]] } ?? 0)
            sizes[graph] = inner.reduce(subject.graphs[graph].all.count) { min($0 + sizes[$1], 1 << 40) }
            // Each is reported once, not again for every graph further out.
            if let last = own.last, sizes[graph] > Self.maximumSteps,
                !inner.contains(where: { sizes[$0] > Self.maximumSteps })
            {
                diagnostics.report(
                    "graph-nesting",
                    "graph '\(graphs.keys[graph])' and the graphs that it runs have more than \(Self.maximumSteps) steps",
                    at: last.span,
                    help: [
                        "A graph that several steps run counts once for each of them. Use 'forEach' to repeat a graph."
                    ]
                )
            }
            if let deepest, depths[graph] == Self.maximumDepth + 1 {
                diagnostics.report(
                    "graph-nesting",
                    "graphs are nested more than \(Self.maximumDepth) levels deep",
                    at: own[deepest].span,
                    help: ["Let one graph run several of the others in a chain, instead of each running the next."]
                )
            }
        }
        return diagnostics
    }
}
