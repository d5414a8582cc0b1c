import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// The graphs that run other graphs, and those that may therefore run more than once in one run.
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

    /// The maximum number of steps that are inspected to find out which graphs run others indirectly. Normal manifests
    /// have far fewer steps; a manifest made to exceed the limit is not checked further.
    private static let budget = 100_000

    init(_ subject: RuleSubject) {
        for site in subject.steps {
            guard case .graph(let call) = site.step.action, !site.callsUnknown else { continue }
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

    /// Returns the spans that make a graph run more than once; `nil` if it runs at most once.
    func repetition(of graph: String) -> [SourceSpan]? { repetitions[graph] }

    /// Returns the first two of some things in graphs that can both be part of one run. Two conditional things are
    /// ignored, because they may exclude each other.
    func firstTogether<Thing>(
        of things: some Sequence<Thing>,
        graph: (Thing) -> String,
        isConditional: (Thing) -> Bool
    ) -> (Thing, Thing)? {
        // By each graph that would run it: the first thing, and the first unconditional thing.
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

    /// Collects, for each graph that another one runs, the graph itself and all graphs that run it directly or
    /// indirectly.
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
        // A graph that a repeated graph runs is repeated too.
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
