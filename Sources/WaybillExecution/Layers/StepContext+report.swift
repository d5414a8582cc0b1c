import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults

/// The outcomes of steps that are not executed. Each is reported, and recorded for later steps.
extension StepContext {
    /// The outcome of a step that failed.
    func failed(_ step: StepPlan, _ failure: Failure) -> NodeOutcome {
        let outcome: StepOutcome = tolerates(step) ? .tolerated : .failed
        let result = StepResult(step, at: path, graph: graph, outcome: outcome, failure: failure)
        let record = StepRecord(isPassed: false, error: failure.inExpressions)
        run.events.emit(.stepFinished(result, kept: record.kept(redactor: run.redactor)), step: path)
        keep(record, of: step)
        return NodeOutcome(end: .failed, steps: [result], failure: failure)
    }

    /// The outcome of a step that a resumed run must not execute. No `onFailure` tolerates it.
    func refused(_ step: StepPlan, _ failure: Failure) -> NodeOutcome {
        let result = StepResult(step, at: path, graph: graph, outcome: .failed, failure: failure)
        run.events.emit(.stepFinished(result), step: path)
        keep(StepRecord(isPassed: false, error: failure.inExpressions), of: step)
        return NodeOutcome(end: .refused, steps: [result], failure: failure)
    }

    /// The outcome of a step that is not executed.
    func skipped(_ step: StepPlan, _ reason: RunEvent.SkipReason) -> NodeOutcome {
        keep(StepRecord(skipped: reason), of: step)
        return NodeOutcome(end: .skipped(reason), steps: reportSkipped(step, reason))
    }

    private func reportSkipped(_ step: StepPlan, _ reason: RunEvent.SkipReason) -> [StepResult] {
        func inside(_ group: GroupPlan, _ context: StepContext) -> [StepResult] {
            group.steps.flatMap { context.of($0).reportSkipped($0, reason) }
        }
        if step.flow?.forEach == nil {
            switch step.work {
            case .group(let group): return inside(group, self)
            case .graph(let name, _):
                guard let graph = run.subgraphs[name.value] else { return [] }
                return inside(graph.body, calling(graph, inputs: [:], by: step))
            case .end: return []
            case .request, .values: break
            }
        }
        run.events.emit(.stepSkipped(reason), step: path)
        return [StepResult(step, at: path, graph: graph, outcome: .skipped)]
    }

    /// Records a step for the expressions of later ones.
    func keep(_ record: StepRecord, of step: StepPlan) {
        if let id = step.id { steps.keep(record, of: id) }
    }
}
