import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults

/// A step: `when` → `delay` → `forEach`( `until`( `paginate`( `retry`( attempt )))).
extension Frame {
    /// Runs a step. It has the task at hand for itself, so that it can be cancelled without others.
    func run(_ step: StepPlan) async -> NodeRun {
        let path = path(of: step)
        let (node, wasCancelled) = await run.control.run(step: path, endpoint: step.endpoint) {
            await run.control.waitUntilUnpaused(path)
            return await begin(step)
        }
        return wasCancelled ? node.cancelledByItself : node
    }

    private func begin(_ step: StepPlan) async -> NodeRun {
        if let past = past(step) { return past }
        guard mayBegin else { return skip(step, .interrupted) }
        var node: NodeRun
        do throws(EvaluationProblem) {
            guard try await holds(step.flow?.when, of: step) else { return skip(step, .condition) }
            guard try await wait(step.flow?.delay, of: step), mayBegin else { return skip(step, .interrupted) }
            node = try await runInTime(step)
        } catch {
            node = failed(step, run.failure(error))
        }
        if step.onFailure == .continue, node.end == .failed { node.end = .passed }
        return node
    }

    /// What a step that failed by itself comes to: it is listed, and later steps see its failure.
    func failed(_ step: StepPlan, _ failure: Failure) -> NodeRun {
        let outcome: StepOutcome = tolerates(step) ? .tolerated : .failed
        let path = path(of: step)
        let result = StepResult(step, at: path, graph: graph, outcome: outcome, failure: failure)
        let record = StepRecord(isPassed: false, error: failure.inExpressions)
        run.events.emit(.stepFinished(result, kept: record.kept(redactor: run.redactor)), step: path)
        if let id = step.id { steps.keep(record, of: id) }
        return NodeRun(end: .failed, steps: [result], failure: failure)
    }

    /// What a step comes to of which a resumed run must do nothing: no `onFailure` tolerates that.
    func refused(_ step: StepPlan, _ failure: Failure) -> NodeRun {
        let path = path(of: step)
        let result = StepResult(step, at: path, graph: graph, outcome: .failed, failure: failure)
        run.events.emit(.stepFinished(result), step: path)
        if let id = step.id { steps.keep(StepRecord(isPassed: false, error: failure.inExpressions), of: id) }
        return NodeRun(end: .refused, steps: [result], failure: failure)
    }

    private func holds(_ condition: ManifestExpression?, of step: StepPlan) async throws(EvaluationProblem) -> Bool {
        guard let condition else { return true }
        var scope = scope(of: path(of: step))
        try await scope.provideSession(for: condition)
        return try condition.holds(in: scope.scope(.graph(graph)))
    }

    /// Waits for the step's delay; `false` when the run was stopped meanwhile.
    private func wait(_ delay: DurationTemplate?, of step: StepPlan) async throws(EvaluationProblem) -> Bool {
        guard let delay else { return true }
        let duration = try delay.duration(in: evaluationScope(of: path(of: step)))
        guard await run.pause(for: duration, isFinal: isFinal) else { return false }
        await run.control.waitUntilUnpaused(path(of: step))
        return true
    }

    private func runInTime(_ step: StepPlan) async throws(EvaluationProblem) -> NodeRun {
        guard let setting = step.deadline else { return await runElements(of: step) }
        let limit = try setting.value.duration(in: scope(of: path(of: step)).scope(setting.level))
        let failure = Failure(
            .timeout,
            run.redactor.text("the deadline of \(limit.words) has passed"),
            at: setting.span
        )
        let deadline = Deadline(inside: deadline, failure: failure)
        var node = await run.clock.cancelling(after: limit, deadline) {
            await self.within(deadline).runElements(of: step)
        }
        guard deadline.hasPassed, node.end == .cancelled else { return node }
        // Requests that were in flight have failed with it. Where there were none, nothing else reports it.
        if !node.steps.contains(where: { $0.failure == failure }) {
            let own = failed(step, failure)
            let inner = node.steps.filter { $0.path != path(of: step) }
            return NodeRun(end: own.end, steps: inner + own.steps, failure: failure, use: node.use)
        }
        node.end = .failed
        node.failure = node.failure ?? failure
        return node
    }

    private func runElements(of step: StepPlan) async -> NodeRun {
        var file: StepFile?
        // All elements of a file that is complete had ended before the run was resumed.
        if let write = step.flow?.write, !(run.past?.hasCommitted(path(of: step)) ?? false) {
            do {
                file = try await StepFile(write, of: step, in: self)
            } catch {
                return failed(step, error)
            }
        }
        guard let forEach = step.flow?.forEach else {
            return await runOnce(step, at: path(of: step), output: file.map { ElementOutput($0) })
        }
        return await ForEachRun(step, forEach, in: self, file: file).run()
    }

    /// Does the work of a step once: for one element, or at all.
    ///
    /// - Parameter output: Where the records of a request go.
    func runOnce(_ step: StepPlan, at path: String, output: ElementOutput? = nil) async -> NodeRun {
        switch step.work {
        case .request(let request):
            let outcome = await RequestRun(step, request, at: path, in: self, output: output).run()
            if let id = step.id { steps.keep(outcome.record, of: id) }
            var node = NodeRun(end: outcome.end, steps: [outcome.result], failure: outcome.result.failure)
            node.use = outcome.use
            node.cookies = outcome.cookies
            return node
        case .group(let group):
            return await repeating(step, at: path) {
                let node = await run(group)
                let record = StepRecord(isPassed: node.end == .passed, error: node.failure.inExpressions)
                return (node, record)
            }
        case .graph(let name, let arguments):
            return await repeating(step, at: path) { await runGraph(name, arguments, of: step, at: path) }
        case .values(let values):
            return await repeating(step, at: path) { await compute(values, of: step, at: path) }
        case .end(let condition):
            do throws(EvaluationProblem) {
                return NodeRun(end: try await holds(condition, of: step) ? .ended : .passed)
            } catch {
                return failed(step, run.failure(error))
            }
        }
    }

    /// Runs what is not a request until the condition of its `until` holds, and keeps its record.
    private func repeating(
        _ step: StepPlan,
        at path: String,
        _ body: () async -> (NodeRun, StepRecord)
    ) async -> NodeRun {
        var state = step.flow?.until.map { UntilState($0) }
        let start = run.clock.now
        while true {
            let (node, record) = await body()
            if let id = step.id { steps.keep(record, of: id) }
            guard node.end == .passed, state != nil else { return node }
            do throws(EvaluationProblem) {
                let scope = evaluationScope(of: path)
                switch try state?.next(in: scope, elapsed: run.clock.now - start, retryAfter: nil) {
                case .done, nil: return node
                case .failed(let message, let kind, let span):
                    return failed(step, Failure(kind, run.redactor.text(message), at: span))
                case .again(let pause):
                    guard await run.pause(for: pause, isFinal: isFinal) else { return NodeRun(end: .cancelled) }
                }
            } catch {
                return failed(step, run.failure(error))
            }
        }
    }

    private func runGraph(
        _ name: Spanned<String>,
        _ arguments: [ArgumentPlan],
        of step: StepPlan,
        at path: String
    ) async -> (NodeRun, StepRecord) {
        guard let plan = run.subgraphs[name.value] else {
            preconditionFailure("the rules let a step of an unknown graph pass")
        }
        var scope = scope(of: path)
        do throws(EvaluationProblem) {
            try await scope.evaluate(arguments, at: .graph(graph))
        } catch {
            let failure = run.failure(error)
            return (failed(step, failure), StepRecord(isPassed: false, error: failure.inExpressions))
        }
        let outcome = await GraphRun(plan, at: path, inputs: scope.arguments, inside: self, for: step).run()
        var record = StepRecord(isPassed: outcome.node.end == .passed, error: outcome.node.failure.inExpressions)
        record.outputs = outcome.outputs ?? [:]
        return (outcome.node, record)
    }

    private func compute(
        _ values: [OutputDefinition],
        of step: StepPlan,
        at path: String
    ) async -> (NodeRun, StepRecord) {
        var record = StepRecord(isPassed: true)
        var scope = scope(of: path)
        for value in values {
            do throws(EvaluationProblem) {
                try await scope.provideSession(for: value.value)
                var result = try value.value.value(in: scope.scope(.graph(graph)))
                result.isSecret = result.isSecret || value.isSecret
                if result.isSecret { try run.redactor.register(secretsIn: result.json, at: value.value.span) }
                record.outputs[value.name.value] = result
            } catch {
                let message = run.redactor.text("value '\(value.name.value)': \(error.message)")
                let failure = Failure(.output, message, at: error.span)
                return (failed(step, failure), StepRecord(isPassed: false, error: failure.inExpressions))
            }
        }
        let result = StepResult(step, at: path, graph: graph, outcome: .passed)
        run.events.emit(.stepFinished(result, kept: record.kept(redactor: run.redactor)), step: path)
        return (NodeRun(end: .passed, steps: [result]), record)
    }
}

extension StepPlan {
    /// The endpoint that it calls, if it calls one.
    var endpoint: String? {
        guard case .request(let request) = work else { return nil }
        return request.endpoint
    }

    /// The longest time that the step may take: its own, or for a request what its settings say.
    fileprivate var deadline: Setting<DurationTemplate>? {
        if let own = flow?.deadline { return own }
        guard case .request(let request) = work else { return nil }
        return request.settings.deadline
    }
}
