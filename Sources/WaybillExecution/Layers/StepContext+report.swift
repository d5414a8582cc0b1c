import WaybillDiagnostics
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The outcomes of steps that are not executed. Each is reported, and recorded for later steps.
extension StepContext {
    /// The outcome of a step that failed.
    ///
    /// - Parameter record: What later steps see of it, in addition to the failure.
    func failed(
        _ step: StepPlan,
        _ failure: Failure,
        keeping record: StepRecord = StepRecord(isPassed: false)
    ) -> NodeOutcome {
        // An expression may have been stopped because the time is over.
        let failure = failure.kind == .input || failure.kind == .output ? deadline?.passed ?? failure : failure
        let outcome: StepOutcome = tolerates(step, failure) ? .tolerated : .failed
        let result = StepResult(step, at: path, graph: graph, outcome: outcome, failure: failure)
        var record = record
        (record.isPassed, record.error) = (false, failure.inExpressions)
        // The end of an element is reported by its forEach.
        if !isElement(step) {
            run.events.emit(.stepFinished(result, kept: record.kept(redactor: run.redactor)), step: path)
        }
        keep(record, of: step)
        return NodeOutcome(end: .failed, steps: [result], failure: failure)
    }

    /// The outcome of a step that failed after its work, or the steps inside it, had been executed.
    func failed(_ step: StepPlan, _ failure: Failure, after work: NodeOutcome) -> NodeOutcome {
        if case .values = step.work { return failed(step, failure) }
        keep(StepRecord(isPassed: false, error: failure.inExpressions), of: step)
        return NodeOutcome(end: .failed, steps: work.steps, failure: failure, use: work.use)
    }

    /// Executes the steps inside a step, and reports the step itself. A `forEach` reports its elements.
    func reporting(_ step: StepPlan, _ body: () async -> NodeOutcome) async -> NodeOutcome {
        guard step.group != nil else { return await body() }
        let earlier = earlier?.group(at: path)
        if earlier == nil { run.events.emit(.stepStarted, step: path) }
        let startedAt = Timestamp.now()
        let start = run.activeTime
        var node = await body()
        let outcome: StepOutcome
        switch node.end {
        case .passed: outcome = node.failure == nil ? .passed : .tolerated
        case .failed: outcome = tolerates(step, node.failure) ? .tolerated : .failed
        case .cancelled where step.flow?.deadline != nil && deadline?.hasPassed == true:
            node.failure = node.failure ?? deadline?.passed
            outcome = tolerates(step) ? .tolerated : .failed
        case .refused, .cancelled, .skipped, .withdrawn, .ended: outcome = node.end.outcome
        }
        var result: StepResult
        if let earlier, earlier.outcome == outcome {
            // Its steps had finished before the run was resumed.
            result = earlier
        } else {
            result = StepResult(step, at: path, graph: graph, outcome: outcome)
            (result.startedAt, result.time) = (startedAt, PhaseTimes(total: run.activeTime - start))
            // The failures of the steps inside are reported with them.
            if let failure = node.failure, !node.steps.contains(where: { $0.failure == failure }) {
                result.failure = failure
            }
            run.events.emit(.stepFinished(result), step: path)
        }
        node.steps.insert(result, at: 0)
        return node
    }

    /// The outcome of a step that a resumed run must not execute. No `onFailure` tolerates it.
    func refused(_ step: StepPlan, _ failure: Failure) -> NodeOutcome {
        let result = StepResult(step, at: path, graph: graph, outcome: .failed, failure: failure)
        run.events.emit(.stepFinished(result), step: path)
        keep(StepRecord(isPassed: false, error: failure.inExpressions), of: step)
        return NodeOutcome(end: .refused, steps: [result], failure: failure)
    }

    /// The outcome of a step that is not executed.
    func skipped(_ step: StepPlan, _ reason: SkipReason) -> NodeOutcome {
        keep(StepRecord(skipped: reason), of: step)
        return NodeOutcome(end: .skipped(reason), steps: reportSkipped(step, reason))
    }

    private func reportSkipped(_ step: StepPlan, _ reason: SkipReason) -> [StepResult] {
        if case .end = step.work { return [] }
        run.events.emit(.stepSkipped(reason, group: step.group), step: path)
        let own = StepResult(step, at: path, graph: graph, outcome: .skipped)
        func with(_ group: GroupPlan, _ context: StepContext) -> [StepResult] {
            [own] + group.steps.flatMap { context.of($0).reportSkipped($0, reason) }
        }
        guard step.flow?.forEach == nil else { return [own] }
        switch step.work {
        case .group(let group): return with(group, self)
        case .graph(let call):
            guard let graph = run.executor.plan.subgraphs[call.path] else { return [own] }
            return with(graph.body, calling(graph, inputs: [:], by: step))
        case .request, .values, .end: return [own]
        }
    }

    /// Records a step for the expressions of later ones.
    func keep(_ record: StepRecord, of step: StepPlan) {
        if let id = step.id { steps.keep(record, of: id) }
    }
}
