import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// `values`: evaluates expressions as the outputs of a step, and checks them.
struct ValuesLayer: RepeatableLayer {
    func execute(_ step: TypedStep<ValuesPlan>, in context: StepContext) async -> NodeOutcome {
        let (run, path) = (context.run, context.path)
        var record = StepRecord(isPassed: true)
        var scope = context.scope
        for output in step.work.outputs {
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
        if let failure = await unmet(step.work, record.outputs, in: scope) {
            return context.failed(step.step, failure, keeping: record)
        }
        let kept = record.kept(redactor: run.redactor)
        if let passed = context.deadline?.passed { return context.failed(step.step, passed) }
        let result = StepResult(step.step, at: path, graph: context.graph, outcome: .passed)
        // The end of an element is reported by its forEach.
        if !context.isElement(step.step) { run.events.emit(.stepFinished(result, kept: kept), step: path) }
        context.keep(record, of: step.step)
        return NodeOutcome(end: .passed, steps: [result])
    }

    /// The failure if the values are not what `expect` requires.
    private func unmet(_ plan: ValuesPlan, _ values: [String: ScopeValue], in scope: RequestScope) async -> Failure? {
        guard !plan.expectations.isEmpty else { return nil }
        let run = scope.context.run
        var (scope, object) = (scope, JSONObject())
        for name in plan.outputs.map(\.name.value) { object[name] = values[name]?.json }
        let data = ScopeValue(.object(object), isSecret: values.values.contains(where: \.isSecret))
        scope.data = data
        do throws(EvaluationFailure) {
            try await scope.provideSession(for: plan.expectations)
        } catch {
            return run.failure(error)
        }
        let checker = ExpectationChecker(settings: plan.expectations, response: nil, data: data, scope: scope.scope)
        let snapshot = plan.expectations.expectedSnapshot.map { SnapshotChecker.check($0, data: data.json, in: scope) }
        let violations = checker.violations() + (snapshot?.violations ?? [])
        if let failure = Failure(violations, run.redactor) { return failure }
        guard let update = snapshot?.update, scope.context.deadline?.passed == nil else { return nil }
        return await scope.context.write(update)
    }
}
