import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// Which graphs run others, and which are so run more than once in one run.
struct GraphRuns {
    /// A step that runs a graph.
    private struct Run {
        let caller: String
        let span: SourceSpan
        let loop: ForEach?
        let isConditional: Bool
    }

    private var runs: [String: [Run]] = [:]
    private var repetitions: [String: [SourceSpan]] = [:]
    private var ancestors: [String: Set<String>] = [:]

    /// How many steps are looked at to find out which graphs run others by way of others. Manifests have far fewer; one
    /// made to have more is not checked so far.
    private static let budget = 100_000

    init(_ subject: RuleSubject) {
        subject.forEachStep { site in
            guard case .graph(let call) = site.step.action, !site.callsUnknown else { return }
            runs[call.name.value, default: []].append(
                Run(
                    caller: site.graph.name.value,
                    span: call.name.span,
                    loop: site.step.flow?.forEach ?? site.loopAround,
                    isConditional: site.isConditional
                )
            )
        }
        collectAncestors()
        collectRepetitions()
    }

    /// The places that make a graph run more than once, if it may.
    func repetition(of graph: String) -> [SourceSpan]? { repetitions[graph] }

    /// The first two of some things in graphs that one run may have both of. Of two with a condition nothing is said, since
    /// they may exclude each other.
    func firstTogether<Thing>(
        of things: some Sequence<Thing>,
        graph: (Thing) -> String,
        isConditional: (Thing) -> Bool
    ) -> (Thing, Thing)? {
        // By each graph that would run it: the first thing, and the first without a condition.
        var any: [String: (index: Int, thing: Thing)] = [:]
        var certain: [String: (index: Int, thing: Thing)] = [:]
        for (index, thing) in things.enumerated() {
            let name = graph(thing)
            let roots = ancestors[name] ?? [name]
            let isConditional = isConditional(thing)
            let others = roots.compactMap { isConditional ? certain[$0] : any[$0] }
            if let other = others.min(by: { $0.index < $1.index }) { return (other.thing, thing) }
            for root in roots {
                if any[root] == nil { any[root] = (index, thing) }
                if !isConditional, certain[root] == nil { certain[root] = (index, thing) }
            }
        }
        return nil
    }

    /// Collects, for each graph that another runs, itself and all that run it directly or by way of others.
    private mutating func collectAncestors() {
        var left = Self.budget
        for graph in runs.keys {
            var seen: Set<String> = [graph]
            var waiting = [graph]
            while let next = waiting.popLast(), left > 0 {
                for run in runs[next] ?? [] {
                    left -= 1
                    if seen.insert(run.caller).inserted { waiting.append(run.caller) }
                }
            }
            ancestors[graph] = seen
        }
    }

    private mutating func collectRepetitions() {
        for (graph, runs) in runs { repetitions[graph] = directRepetition(runs) }
        var callees: [String: Set<String>] = [:]
        for (graph, runs) in runs {
            for run in runs { callees[run.caller, default: []].insert(graph) }
        }
        // What a repeated graph runs is repeated too.
        var waiting = Array(repetitions.keys)
        while let graph = waiting.popLast() {
            for callee in callees[graph] ?? [] where repetitions[callee] == nil {
                repetitions[callee] = repetitions[graph]
                waiting.append(callee)
            }
        }
    }

    private func directRepetition(_ runs: [Run]) -> [SourceSpan]? {
        if let loop = runs.first(where: { $0.loop != nil }) { return [loop.span] }
        return firstTogether(of: runs, graph: \.caller, isConditional: \.isConditional).map { [$0.span, $1.span] }
    }
}
