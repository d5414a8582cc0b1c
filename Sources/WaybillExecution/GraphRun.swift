import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults

/// One run of a graph.
struct GraphRun: Sendable {
    let graph: GraphPlan
    let context: RunContext
    private let store = StepStore()

    init(_ graph: GraphPlan, in context: RunContext) {
        self.graph = graph
        self.context = context
    }

    /// What came of a node: the results of the requests in it, in plan order, and whether what follows may go on.
    struct NodeRun: Sendable {
        var steps: [StepResult]
        var isFailed: Bool
        /// The first failure, for whoever asks about the node.
        var failure: Failure?
    }

    /// Runs the graph.
    func run() async -> (steps: [StepResult], outputs: RedactedJSON?) {
        context.events.emit(.graphStarted(graph: graph.name))
        var node = await run(graph.body)
        if graph.body.onFailure == .continue { node.isFailed = false }
        var outputs: RedactedJSON?
        if !node.isFailed, !Task.isCancelled, !graph.outputs.isEmpty {
            switch evaluateOutputs() {
            case .success(let values): outputs = values
            case .failure(let failed):
                node.steps.append(failed)
                node.isFailed = true
            }
        }
        let outcome: StepOutcome = node.isFailed ? .failed : Task.isCancelled ? .cancelled : .passed
        context.events.emit(.graphFinished(graph: graph.name, outcome))
        return (node.steps, outputs)
    }

    // MARK: Nodes

    private func run(_ group: GroupPlan) async -> NodeRun {
        switch group.order {
        case .chain: await runChain(group)
        case .batch: await runBatch(group)
        }
    }

    private func run(_ step: StepPlan) async -> NodeRun {
        var node: NodeRun
        switch step.work {
        case .request(let request):
            let run = await StepRun(step, request, graph: self).run()
            node = NodeRun(steps: [run.result], isFailed: run.isFailed, failure: run.result.failure)
            if let id = step.id { store.keep(run.record, of: id) }
        case .group(let group):
            node = await run(group)
            if let id = step.id {
                store.keep(StepRecord(isPassed: !node.isFailed, error: node.failure.json), of: id)
            }
        case .graph, .values, .end:
            preconditionFailure("a plan with steps of this form is refused before it runs")
        }
        if step.onFailure == .continue { node.isFailed = false }
        return node
    }

    private func runChain(_ chain: GroupPlan) async -> NodeRun {
        var node = NodeRun(steps: [], isFailed: false)
        for step in chain.steps {
            guard !Task.isCancelled, !node.isFailed || chain.onFailure != .stop else {
                node.steps += skip(step)
                continue
            }
            node.add(await run(step))
        }
        return node
    }

    private func runBatch(_ batch: GroupPlan) async -> NodeRun {
        let steps = batch.steps
        let runs = await withTaskGroup(of: (Int, NodeRun).self) { group in
            var runs = [NodeRun?](repeating: nil, count: steps.count)
            var next = 0
            var isStopped = false
            func startNext() {
                let index = next
                next += 1
                group.addTask { (index, await run(steps[index])) }
            }
            while next < min(steps.count, batch.concurrency ?? steps.count) { startNext() }
            while let (index, run) = await group.next() {
                runs[index] = run
                if run.isFailed, batch.onFailure == .stop, !isStopped {
                    isStopped = true
                    group.cancelAll()
                }
                if next < steps.count, !isStopped, !Task.isCancelled { startNext() }
            }
            return runs
        }
        var node = NodeRun(steps: [], isFailed: false)
        for (step, run) in zip(steps, runs) {
            if let run { node.add(run) } else { node.steps += skip(step) }
        }
        return node
    }

    /// The results of a step that is not run.
    private func skip(_ step: StepPlan) -> [StepResult] {
        switch step.work {
        case .request(let request):
            let result = StepResult(step, request, outcome: .skipped)
            context.events.emit(.stepSkipped(Task.isCancelled ? .interrupted : .failure), step: step.path)
            return [result]
        case .group(let group):
            return group.steps.flatMap { skip($0) }
        case .graph, .values, .end:
            return []
        }
    }

    // MARK: Outputs

    /// What a step's expressions see.
    func requestScope() -> RequestScope {
        RequestScope(
            run: context.scope,
            steps: store,
            environment: AttemptEnvironment(folder: context.manifestFolder)
        )
    }

    private enum OutputsResult {
        case success(RedactedJSON)
        case failure(StepResult)
    }

    private func evaluateOutputs() -> OutputsResult {
        let scope = requestScope().scope(.graph(graph.name))
        var values = JSONObject()
        for output in graph.outputs {
            do {
                let value = try output.value.value(in: scope)
                if output.isSecret || value.isSecret { context.redactor.register(secretsIn: value.json) }
                values[output.name.value] = value.json
            } catch {
                let failure = Failure(
                    .output,
                    context.redactor.text("output '\(output.name.value)': \(error.message)"),
                    at: error.span
                )
                return .failure(
                    StepResult(
                        id: "outputs",
                        path: "\(graph.name).outputs",
                        graph: graph.name,
                        outcome: .failed,
                        failure: failure
                    )
                )
            }
        }
        return .success(context.redactor.json(.object(values)))
    }
}

extension GraphRun.NodeRun {
    /// Adds what came of a child.
    fileprivate mutating func add(_ child: GraphRun.NodeRun) {
        steps += child.steps
        isFailed = isFailed || child.isFailed
        if child.isFailed { failure = failure ?? child.failure }
    }
}

extension Redactor {
    /// Registers every text and number in a value.
    func register(secretsIn value: JSON) {
        switch value {
        case .string(let text): register(text)
        case .number(let number): register(number.text)
        case .array(let elements): elements.forEach(register(secretsIn:))
        case .object(let object): object.forEach { register(secretsIn: $0.value) }
        case .null, .bool: break
        }
    }
}
