import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// `values`: evaluates expressions as the outputs of a step.
struct ValuesLayer: RepeatableLayer {
    func execute(_ step: TypedStep<[OutputDefinition]>, in context: StepContext) async -> NodeOutcome {
        let (run, path) = (context.run, context.path)
        var record = StepRecord(isPassed: true)
        var scope = context.scope
        for output in step.work {
            do throws(EvaluationFailure) {
                record.outputs[output.name.value] = try await scope.value(of: output)
            } catch {
                let message = run.redactor.text("value '\(output.name.value)': \(error.message)")
                let failure = context.deadline?.passed ?? Failure(.output, message, at: error.span)
                return context.failed(step.step, failure)
            }
        }
        do throws(Failure) {
            try context.keep(record.outputs.values.map(\.json), in: &record.memory, at: step.step.span)
        } catch {
            return context.failed(step.step, error)
        }
        let kept = record.kept(redactor: run.redactor)
        if let passed = context.deadline?.passed { return context.failed(step.step, passed) }
        let result = StepResult(step.step, at: path, graph: context.graph, outcome: .passed)
        run.events.emit(.stepFinished(result, kept: kept), step: path)
        context.keep(record, of: step.step)
        return NodeOutcome(end: .passed, steps: [result])
    }
}
