import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

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
                diagnostics.append(.unknown("graph", call.name, among: manifest.graphs.keys, help: help))
            } else {
                calls[site.graph.name.value, default: []].append(call.name)
            }
        }
        if let site = subject.requests.excess { diagnostics.append(tooLarge(at: site.step.span)) }
        let steps = Dictionary(subject.graphs.map { ($0.definition.name.value, $0.all.count) }) { first, _ in first }
        return diagnostics + paths(calls, steps, in: manifest)
    }

    private func tooLarge(at span: SourceSpan) -> Diagnostic {
        let limit = RequestList.maximumOfCalledGraphs
        return Diagnostic(
            "graph-nesting",
            "the graphs that this step runs with its settings have more than \(limit) steps",
            at: span,
            help: [
                "A graph that several steps run with settings counts once for each of them. Write the settings at the graph itself."
            ]
        )
    }

    /// Checks the paths from graph to graph.
    ///
    /// - Parameter steps: The number of steps of each graph itself.
    private func paths(
        _ calls: [String: [Spanned<String>]],
        _ steps: [String: Int],
        in manifest: Manifest
    ) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        // The number of levels of each finished graph, including itself.
        var depths: [String: Int] = [:]
        // The number of steps of each finished graph and of the graphs that it runs.
        var sizes: [String: Int] = [:]
        // The position of each graph in the current path.
        var places: [String: Int] = [:]
        for name in manifest.graphs.keys where depths[name] == nil {
            // The traversal is not recursive: graphs may be nested as deeply as there are graphs.
            var path: [(name: String, next: Int)] = [(name, 0)]
            places[name] = 0
            while let (current, next) = path.last {
                let own = calls[current] ?? []
                guard next < own.count else {
                    let deepest = own.max { depths[$0.value, default: 0] < depths[$1.value, default: 0] }
                    let depth = 1 + (deepest.map { depths[$0.value, default: 0] } ?? 0)
                    depths[current] = depth
                    let size = own.reduce(steps[current] ?? 0) { min($0 + (sizes[$1.value] ?? 0), 1 << 40) }
                    sizes[current] = size
                    if let last = own.last, size > Self.maximumSteps,
                        !own.contains(where: { (sizes[$0.value] ?? 0) > Self.maximumSteps })
                    {
                        diagnostics.append(tooLarge(current, at: last.span))
                    }
                    // Report it once, not again for every graph further out.
                    if let deepest, depth == Self.maximumDepth + 1 { diagnostics.append(tooDeep(at: deepest)) }
                    places[current] = nil
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let call = own[next]
                if let start = places[call.value] {
                    let cycle = (path[start...].map(\.name) + [call.value]).joined(separator: " → ")
                    diagnostics.report("graph-cycle", "this graph runs itself in a cycle: \(cycle)", at: call.span)
                } else if depths[call.value] == nil {
                    places[call.value] = path.count
                    path.append((call.value, 0))
                }
            }
        }
        return diagnostics
    }

    private func tooLarge(_ graph: String, at span: SourceSpan) -> Diagnostic {
        Diagnostic(
            "graph-nesting",
            "graph '\(graph)' and the graphs that it runs have more than \(Self.maximumSteps) steps",
            at: span,
            help: ["A graph that several steps run counts once for each of them. Use 'forEach' to repeat a graph."]
        )
    }

    private func tooDeep(at call: Spanned<String>) -> Diagnostic {
        Diagnostic(
            "graph-nesting",
            "graphs are nested more than \(Self.maximumDepth) levels deep",
            at: call.span,
            help: ["Let one graph run several of the others in a chain, instead of each running the next."]
        )
    }
}
