import WaybillDiagnostics
import WaybillManifest

extension Plan {
    /// Limits the plan to a part of the run.
    ///
    /// - Returns: The errors of a plan that cannot be divided: a graph without sharded steps.
    mutating func limit(to part: RunPart) -> [Diagnostic] {
        let whole = graphs.filter { !$0.body.steps.contains(where: \.isSharded) }
        guard whole.isEmpty else {
            return whole.map { graph in
                Diagnostic(
                    "nothing-to-shard",
                    "graph '\(graph.name)' has no step whose elements can be divided among several processes",
                    at: nil,
                    help: [
                        "Write 'shard: true' in the 'forEach' of such a step, or choose another graph with --graph."
                    ],
                    programHelp: ["Write 'shard: true' in the 'forEach' of such a step, or choose another graph."]
                )
            }
        }
        self.part = part
        for index in graphs.indices { graphs[index].limit(to: part) }
        return []
    }

    /// The steps of the graphs that run after all shards, `finally` included.
    package var stepsAfterShards: [StepPlan] {
        graphs.flatMap { $0.steps(in: .after) + ($0.finally?.steps ?? []) }
    }

    /// Whether anything is left to do when all shards have finished, other than evaluating outputs.
    package var continuesAfterShards: Bool {
        !stepsAfterShards.isEmpty || graphs.contains { !$0.state.isEmpty && !$0.isLimited }
    }

    /// The sharded steps of the graphs.
    package var shardedSteps: [StepPlan] { graphs.flatMap { $0.steps(in: .shards) } }

    /// The steps of the graphs that run before the sharded ones.
    package var stepsBeforeShards: [StepPlan] { graphs.flatMap { $0.steps(in: .before) } }
}

extension GraphPlan {
    /// Returns the steps of the graph's own chain or batch that are in a phase.
    fileprivate func steps(in phase: ShardPhase) -> [StepPlan] {
        zip(body.steps, ShardPhase.phases(of: body.steps.map { ($0.id, $0.flow) }, order: body.order)).filter {
            $1 == phase
        }.map(\.0)
    }

    /// Removes what other processes run, and the outputs, which may depend on it.
    fileprivate mutating func limit(to part: RunPart) {
        let removed = steps(in: .after) + (part == .before ? steps(in: .shards) : [])
        let paths = Set(removed.map(\.path))
        omittedSteps += removed.withInner.compactMap(\.id)
        body.steps.removeAll { paths.contains($0.path) }
        for index in body.steps.indices where body.steps[index].isSharded { body.steps[index].shard = part.shard }
        finally = nil
        outputs = []
        isLimited = true
    }
}
