import WaybillManifest
import WaybillPlan
import WaybillResults

/// `when`: executes a step only if a condition holds.
struct WhenLayer<Inner: Layer<StepPlan, NodeOutcome>>: Layer {
    let inner: Inner

    func execute(_ step: StepPlan, in context: StepContext) async -> NodeOutcome {
        guard let condition = step.flow?.when else { return await inner.execute(step, in: context) }
        do throws(EvaluationFailure) {
            guard try await context.holds(condition) else { return context.skipped(step, .condition) }
        } catch {
            return context.failed(step, context.run.failure(error))
        }
        return await inner.execute(step, in: context)
    }
}

extension StepContext {
    /// Whether the condition of the step holds.
    func holds(_ condition: ManifestExpression) async throws(EvaluationFailure) -> Bool {
        var scope = scope
        try await scope.provideSession(for: condition)
        return try condition.holds(in: scope.scope(.graph(graph)))
    }
}
