import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults

/// Executes the steps of a chain or batch in a graph, as `GroupState` decides.
struct GroupRunner: Sendable {
    let group: GroupPlan
    /// The context of the graph, or of the step that consists of the group.
    let context: StepContext

    /// The progress of a chain, with what to do next.
    private typealias ChainProgress = (state: GroupState, outcomes: [NodeOutcome?], actions: [GroupState.Action])

    /// Executes the steps. Results are in the order of the manifest.
    func run() async -> NodeOutcome {
        var node =
            switch group.order {
            case .chain: await runChain()
            case .batch: await runBatch()
            }
        // The passed deadline may be the failure that was tolerated. It cancels the group even if no steps are left.
        let hasTolerated = node.end == .passed && node.steps.contains { $0.outcome == .tolerated }
        if hasTolerated, context.deadline?.passed != nil { node.end = .cancelled }
        return node
    }

    /// Executes the steps of a chain in a separate task. Cancelling one of the steps cancels that task; the steps after
    /// it run in another one.
    private func runChain() async -> NodeOutcome {
        var state = GroupState(group)
        let actions = state.start()
        var chain: ChainProgress = (state, group.steps.map { _ in nil }, actions)
        while !chain.actions.isEmpty {
            chain = await withTaskGroup(of: ChainProgress.self) { [chain] tasks in
                tasks.addTask { await continued(chain) }
                return await tasks.next() ?? chain
            }
        }
        return NodeOutcome(of: chain.outcomes, end: chain.state.end)
    }

    private func continued(_ chain: ChainProgress) async -> ChainProgress {
        var chain = chain
        repeat {
            let actions = chain.actions
            chain.actions = []
            for action in actions {
                switch action {
                case .start(let index):
                    let outcome = await execute(group.steps[index])
                    chain.outcomes[index] = outcome
                    chain.actions += chain.state.finished(index, outcome.end)
                case .skip(let index, let reason): chain.outcomes[index] = skip(index, reason)
                case .cancelRunning: break
                }
            }
        } while !chain.actions.isEmpty && !Task.isCancelled
        return chain
    }

    private func runBatch() async -> NodeOutcome {
        let (outcomes, end) = await withTaskGroup(of: (Int, NodeOutcome).self) { tasks in
            var state = GroupState(group, concurrency: max(64, context.run.executor.plan.concurrency))
            var outcomes: [NodeOutcome?] = group.steps.map { _ in nil }
            func perform(_ actions: [GroupState.Action]) {
                for action in actions {
                    switch action {
                    case .start(let index): tasks.addTask { (index, await execute(group.steps[index])) }
                    case .skip(let index, let reason): outcomes[index] = skip(index, reason)
                    case .cancelRunning: tasks.cancelAll()
                    }
                }
            }
            perform(state.start())
            while let (index, outcome) = await tasks.next() {
                outcomes[index] = outcome
                perform(state.finished(index, outcome.end))
            }
            return (outcomes, state.end)
        }
        return NodeOutcome(of: outcomes, end: end)
    }

    private func skip(_ index: Int, _ reason: SkipReason) -> NodeOutcome {
        context.of(group.steps[index]).skipped(group.steps[index], reason)
    }

    /// Executes a step through its layers. Nothing else runs in the current task, so that the step can be cancelled by
    /// itself.
    private func execute(_ step: StepPlan) async -> NodeOutcome {
        let context = context.of(step)
        var (outcome, wasCancelled) = await context.run.control.run(.step(path: context.path, endpoint: step.endpoint))
        {
            await context.run.control.waitUntilUnpaused(context.path)
            if let earlier = await context.earlierOutcome(of: step) { return earlier }
            guard context.mayStart else { return context.skipped(step, .interrupted) }
            var outcome = await StepLayers.step.execute(step, in: context)
            if step.onFailure == .continue, outcome.end == .failed { outcome.end = .passed }
            return outcome
        }
        if wasCancelled { outcome.end = outcome.end.cancelledByItself }
        return outcome
    }
}

extension StepPlan {
    /// The endpoint that the step calls, if any.
    var endpoint: String? {
        guard case .request(let request) = work else { return nil }
        return request.endpoint
    }
}

extension NodeOutcome {
    /// The outcome of a group with the outcomes of its steps, by their indices.
    fileprivate init(of outcomes: [NodeOutcome?], end: End) {
        self.init(end: end)
        steps.reserveCapacity(outcomes.count)
        for case let outcome? in outcomes {
            steps += outcome.steps
            if outcome.use != .taken { use = .partly }
            if [.failed, .refused].contains(outcome.end) { failure = failure ?? outcome.failure }
        }
    }
}
