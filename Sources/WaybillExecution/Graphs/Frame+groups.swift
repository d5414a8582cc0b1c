import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults

extension Frame {
    /// Runs the steps of a chain or batch. Results are in the order of the manifest.
    func run(_ group: GroupPlan) async -> NodeRun {
        switch group.order {
        case .chain: await runChain(group)
        case .batch: await runBatch(group)
        }
    }

    /// Runs the steps of a chain in a task of their own. A step that is cancelled by itself takes that task with it: those
    /// that follow have another one.
    private func runChain(_ group: GroupPlan) async -> NodeRun {
        var chain = ChainRun(group)
        while !chain.isDone {
            chain = await withTaskGroup(of: ChainRun.self) { [chain] tasks in
                tasks.addTask { await self.runSteps(of: group, chain) }
                return await tasks.next() ?? chain
            }
        }
        return chain.runs.node(chain.state.end)
    }

    private func runSteps(of group: GroupPlan, _ chain: ChainRun) async -> ChainRun {
        var chain = chain
        repeat {
            for action in chain.takeActions() {
                switch action {
                case .start(let place):
                    let run = await run(group.steps[place])
                    chain.runs.add(run, at: place)
                    chain.actions += chain.state.ended(place, run.end)
                case .skip(let place, let reason): chain.runs.add(skip(group.steps[place], reason), at: place)
                case .cancelUnderWay: break
                }
            }
        } while !chain.isDone && !Task.isCancelled
        return chain
    }

    private func runBatch(_ group: GroupPlan) async -> NodeRun {
        let (runs, end) = await withTaskGroup(of: (Int, NodeRun).self) { tasks in
            var state = GroupState(group)
            var runs = GroupRuns(group)
            func perform(_ actions: [GroupState.Action]) {
                for action in actions {
                    switch action {
                    case .start(let place): tasks.addTask { (place, await self.run(group.steps[place])) }
                    case .skip(let place, let reason): runs.add(skip(group.steps[place], reason), at: place)
                    case .cancelUnderWay: tasks.cancelAll()
                    }
                }
            }
            perform(state.begin())
            while let (place, run) = await tasks.next() {
                runs.add(run, at: place)
                perform(state.ended(place, run.end))
            }
            return (runs, state.end)
        }
        return runs.node(end)
    }

    /// The results of a step that is not run.
    func skip(_ step: StepPlan, _ reason: RunEvent.SkipReason) -> NodeRun {
        let path = path(of: step)
        if let id = step.id { steps.keep(StepRecord(skipped: reason), of: id) }
        return NodeRun(end: .skipped(reason), steps: skipped(step, at: path, reason))
    }

    private func skipped(_ step: StepPlan, at path: String, _ reason: RunEvent.SkipReason) -> [StepResult] {
        func inside(_ group: GroupPlan, _ frame: Frame) -> [StepResult] {
            group.steps.flatMap { frame.skipped($0, at: frame.path(of: $0), reason) }
        }
        if step.flow?.forEach == nil {
            switch step.work {
            case .group(let group): return inside(group, self)
            case .graph(let name, _):
                guard let graph = run.subgraphs[name.value] else { return [] }
                return inside(graph.body, Frame(graph, at: path, inputs: [:], in: run, inside: self))
            case .end: return []
            case .request, .values: break
            }
        }
        run.events.emit(.stepSkipped(reason), step: path)
        return [StepResult(step, at: path, graph: graph, outcome: .skipped)]
    }
}

/// How far a chain has come.
private struct ChainRun: Sendable {
    var state: GroupState
    var runs: GroupRuns
    /// What is to be done next.
    var actions: [GroupState.Action]

    init(_ group: GroupPlan) {
        state = GroupState(group)
        runs = GroupRuns(group)
        actions = state.begin()
    }

    var isDone: Bool { actions.isEmpty }

    mutating func takeActions() -> [GroupState.Action] {
        defer { actions = [] }
        return actions
    }
}

/// What came of the steps of a group, by their places.
private struct GroupRuns: Sendable {
    private var runs: [NodeRun?]

    init(_ group: GroupPlan) {
        runs = group.steps.map { _ in nil }
    }

    mutating func add(_ run: NodeRun, at place: Int) {
        runs[place] = run
    }

    func node(_ end: NodeRun.End) -> NodeRun {
        var node = NodeRun(end: end)
        node.steps.reserveCapacity(runs.count)
        for case let run? in runs {
            node.steps += run.steps
            if run.use != .taken { node.use = .partly }
            if [.failed, .refused].contains(run.end) { node.failure = node.failure ?? run.failure }
        }
        return node
    }
}
