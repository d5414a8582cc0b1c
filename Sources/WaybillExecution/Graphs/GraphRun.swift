import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults

/// One run of a graph: its steps, then those of `finally`, then its outputs.
struct GraphRun: Sendable {
    /// What came of a graph.
    struct Outcome: Sendable {
        /// How it ended, and what is reported of its requests.
        var node: NodeRun
        /// The values of its outputs, where it passed.
        var outputs: [String: ScopeValue]?
    }

    private let graph: GraphPlan
    private let path: String
    private let frame: Frame
    private var run: RunContext { frame.run }

    /// A run of a graph by itself.
    init(_ graph: GraphPlan, in run: RunContext) {
        self.init(graph, at: graph.name, inputs: [:], frame: nil, step: nil, in: run)
    }

    /// A run of a graph with inputs, by a step at this path.
    init(
        _ graph: GraphPlan,
        at path: String,
        inputs: [String: ScopeValue],
        inside frame: Frame,
        for step: StepPlan
    ) {
        self.init(graph, at: path, inputs: inputs, frame: frame, step: step, in: frame.run)
    }

    private init(
        _ graph: GraphPlan,
        at path: String,
        inputs: [String: ScopeValue],
        frame: Frame?,
        step: StepPlan?,
        in run: RunContext
    ) {
        self.graph = graph
        self.path = path
        self.frame = Frame(graph, at: path, inputs: inputs, in: run, inside: frame, for: step)
    }

    /// Runs the graph.
    func run() async -> Outcome {
        run.events.emit(.graphStarted(graph: graph.name), step: stepPath)
        var node = await runBody()
        if graph.body.onFailure == .continue, node.end == .failed { node.end = .passed }
        if let finally = graph.finally { await finish(finally, after: &node) }
        let outputs = node.end == .passed ? await evaluateOutputs(&node) : nil
        run.events.emit(.graphFinished(graph: graph.name, node.outcome), step: stepPath)
        return Outcome(node: node, outputs: outputs)
    }

    /// The path for events, where a step runs the graph.
    private var stepPath: String? { path == graph.name ? nil : path }

    private func runBody() async -> NodeRun {
        guard let setting = graph.deadline else { return await frame.run(graph.body) }
        let limit: Duration
        do {
            limit = try setting.value.duration(in: frame.evaluationScope(of: path))
        } catch {
            return failed(id: "deadline", run.failure(error))
        }
        let failure = Failure(
            .timeout,
            run.redactor.text("the deadline of \(limit.words) has passed"),
            at: setting.span
        )
        let deadline = Deadline(inside: frame.deadline, failure: failure)
        var node = await run.clock.cancelling(after: limit, deadline) { [frame] in
            await frame.within(deadline).run(graph.body)
        }
        guard deadline.hasPassed, node.end == .cancelled else { return node }
        // Requests that were in flight have failed with it. Where there were none, nothing else reports it.
        if !node.steps.contains(where: { $0.failure == failure }) {
            return failed(id: "deadline", failure, after: node)
        }
        node.end = .failed
        node.failure = node.failure ?? failure
        return node
    }

    /// Runs the steps that always run, all of them, also when the run is being stopped: a task of its own is not cancelled
    /// with this one.
    private func finish(_ steps: GroupPlan, after node: inout NodeRun) async {
        let frame = frame.final
        run.events.emit(.graphFinishing(graph: graph.name), step: stepPath)
        let last = await run.control.unstoppable { await frame.run(steps) }
        node.steps += last.steps
        if last.use != .taken { node.use = .partly }
        if last.end == .refused || last.end == .failed && node.end == .passed {
            node.end = last.end
            node.failure = last.failure
        }
    }

    private func evaluateOutputs(_ node: inout NodeRun) async -> [String: ScopeValue] {
        var outputs: [String: ScopeValue] = [:]
        for output in graph.outputs where !run.resumption.omittedOutputs.contains("\(path).\(output.name.value)") {
            do throws(EvaluationProblem) {
                var scope = frame.scope(of: path)
                try await scope.provideSession(for: output.value)
                var value = try output.value.value(in: scope.scope(.graph(graph.name)))
                value.isSecret = value.isSecret || output.isSecret
                if value.isSecret { try run.redactor.register(secretsIn: value.json, at: output.value.span) }
                outputs[output.name.value] = value
            } catch {
                let message = run.redactor.text("output '\(output.name.value)': \(error.message)")
                node = failed(id: "outputs", Failure(.output, message, at: error.span), after: node)
                break
            }
        }
        return outputs
    }

    /// A failure of the graph itself, which is listed like a step.
    private func failed(id: String, _ failure: Failure, after node: NodeRun = NodeRun(end: .passed)) -> NodeRun {
        let result = StepResult(
            id: id,
            path: "\(path).\(id)",
            graph: graph.name,
            outcome: frame.failureOutcome,
            failure: failure
        )
        run.events.emit(.stepFinished(result), step: result.path)
        return NodeRun(end: .failed, steps: node.steps + [result], failure: failure, use: node.use)
    }
}
