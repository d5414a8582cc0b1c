import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The outcome of a graph.
struct GraphOutcome: Sendable {
    /// How the graph ended, and the results of its steps.
    var node: NodeOutcome
    /// The values of its outputs, if it passed.
    var outputs: [String: ScopeValue]?
    /// The state for the next run, if it passed and has one.
    var state: RedactedJSON?
}

/// Executes a graph: its steps, then those of `finally`, then its outputs.
struct GraphRunner: Sendable {
    let graph: GraphPlan
    let context: StepContext
    private var run: RunContext { context.run }

    /// Executes the graph.
    func run() async -> GraphOutcome {
        run.events.emit(.graphStarted(graph: graph.name), step: stepPath)
        // 'finally' may ask whether they passed.
        for id in graph.omittedSteps { context.steps.keep(StepRecord(skipped: .condition), of: id) }
        var node = await executeBody()
        if graph.body.onFailure == .continue, node.end == .failed { node.end = .passed }
        if let finally = graph.finally { node = await finished(node, with: finally) }
        var outcome = GraphOutcome(node: node)
        if node.end == .passed { outcome = await withOutputs(node) }
        if outcome.node.end == .passed, !graph.state.isEmpty, !graph.isLimited { await addState(to: &outcome) }
        let reported = outcome.node.end == .failed ? context.failureOutcome : outcome.node.end.outcome
        run.events.emit(.graphFinished(graph: graph.name, reported), step: stepPath)
        return outcome
    }

    /// The path for events, if a step executes the graph.
    private var stepPath: String? { context.path == graph.name ? nil : context.path }

    private func executeBody() async -> NodeOutcome {
        guard let deadline = graph.deadline else { return await GroupRunner(group: graph.body, context: context).run() }
        return await context.limited(by: deadline, in: context.evaluationScope) { failure in
            failed(id: "deadline", failure)
        } _: { [graph] context in
            await GroupRunner(group: graph.body, context: context).run()
        }
    }

    /// Executes all steps of `finally`, even when the run is being stopped: they run in a separate task, which is not
    /// cancelled with this one.
    private func finished(_ node: NodeOutcome, with steps: GroupPlan) async -> NodeOutcome {
        var node = node
        let runner = GroupRunner(group: steps, context: context.final)
        run.events.emit(.graphFinishing(graph: graph.name), step: stepPath)
        let last = await run.control.unstoppable {
            // The deadline of a step that executes the graph does not apply either.
            await WorkLimit.limited({ false }) { await runner.run() }
        }
        node.steps += last.steps
        if last.use != .taken { node.use = .partly }
        if last.end == .refused || last.end == .failed && node.end == .passed {
            node.end = last.end
            node.failure = last.failure
        }
        return node
    }

    /// Evaluates the outputs of a graph that passed.
    private func withOutputs(_ node: NodeOutcome) async -> GraphOutcome {
        var outputs: [String: ScopeValue] = [:]
        for output in graph.outputs
        where !run.executor.resumption.omittedOutputs.contains("\(context.path).\(output.name.value)") {
            do throws(EvaluationFailure) {
                var scope = context.scope
                outputs[output.name.value] = try await scope.value(of: output)
            } catch {
                let message = run.redactor.text("output '\(output.name.value)': \(error.message)")
                let own = failed(id: "outputs", Failure(.output, message, at: error.span))
                let failed = NodeOutcome(
                    end: .failed,
                    steps: node.steps + own.steps,
                    failure: own.failure,
                    use: node.use
                )
                return GraphOutcome(node: failed, outputs: outputs)
            }
        }
        return GraphOutcome(node: node, outputs: outputs)
    }

    /// Evaluates the state of a graph that passed.
    private func addState(to outcome: inout GraphOutcome) async {
        var state = JSONObject()
        for definition in graph.state {
            do throws(EvaluationFailure) {
                var scope = context.scope
                let value = try await scope.value(of: definition.next)
                // Validation cannot detect a secret in a response.
                guard !value.isSecret, let shown = run.redactor.unchanged(value.json.bytesAsBase64) else {
                    throw EvaluationFailure(
                        message: "it contains a secret",
                        span: definition.next.value.span,
                        kind: .output
                    )
                }
                state[definition.name] = shown.value
            } catch {
                let message = run.redactor.text("state '\(definition.name)': \(error.message)")
                let own = failed(id: "state", Failure(.output, message, at: error.span))
                outcome.node.end = .failed
                outcome.node.steps += own.steps
                outcome.node.failure = own.failure
                return
            }
        }
        outcome.state = run.redactor.unchanged(.object(state))
    }

    /// The outcome of a failure of the graph itself, which is reported as a step.
    private func failed(id: String, _ failure: Failure) -> NodeOutcome {
        let result = StepResult(
            id: id,
            path: "\(context.path).\(id)",
            graph: graph.name,
            outcome: context.failureOutcome,
            failure: failure
        )
        run.events.emit(.stepFinished(result), step: result.path)
        return NodeOutcome(end: .failed, steps: [result], failure: failure)
    }
}
