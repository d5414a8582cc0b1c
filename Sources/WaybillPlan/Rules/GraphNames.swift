import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A graph that a step runs must exist, no graph may run itself, directly or indirectly, and the nesting and the size of
/// graphs are limited.
struct GraphNames: ManifestRule {
    /// The maximum nesting depth of graphs. Each level takes memory and stack for each element that is in flight.
    static let maximumDepth = 256

    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        var calls: [String: [Spanned<String>]] = [:]
        subject.forEachStep { site in
            guard case .graph(let call) = site.step.action, !site.step.unknown.contains(.form) else { return }
            if site.callsUnknown {
                guard !manifest.unknown.mayDefine(call.name.value, in: .graphs) else { return }
                let isEndpoint = manifest.endpoints[call.name.value] != nil
                let help = isEndpoint ? ["'\(call.name.value)' is an endpoint; use 'call'."] : []
                diagnostics.append(.unknown("graph", call.name, among: manifest.graphs.keys, help: help))
            } else {
                calls[site.graph.name.value, default: []].append(call.name)
            }
        }
        if let site = subject.requests.excess { diagnostics.append(tooLarge(at: site.step.span)) }
        return diagnostics + paths(calls, in: manifest)
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
    private func paths(_ calls: [String: [Spanned<String>]], in manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        // The number of levels of each finished graph, including itself.
        var depths: [String: Int] = [:]
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
                    // Report it once, not again for every graph further out.
                    if let deepest, depth == Self.maximumDepth + 1 { diagnostics.append(tooDeep(at: deepest)) }
                    places[current] = nil
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let call = own[next]
                if let start = places[call.value] {
                    let way = (path[start...].map(\.name) + [call.value]).joined(separator: " → ")
                    diagnostics.append(
                        Diagnostic("graph-cycle", "this graph runs itself in a cycle: \(way)", at: call.span)
                    )
                } else if depths[call.value] == nil {
                    places[call.value] = path.count
                    path.append((call.value, 0))
                }
            }
        }
        return diagnostics
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
