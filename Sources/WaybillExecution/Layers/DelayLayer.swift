import WaybillManifest
import WaybillPlan
import WaybillResults

/// `delay`: waits before a step.
struct DelayLayer<Inner: Layer<StepPlan, NodeOutcome>>: Layer {
    let inner: Inner

    func execute(_ step: StepPlan, in context: StepContext) async -> NodeOutcome {
        if let delay = step.flow?.delay {
            do throws(EvaluationFailure) {
                let duration = try delay.duration(in: context.evaluationScope)
                guard await context.pause(for: duration) else { return context.skipped(step, .interrupted) }
            } catch {
                return context.failed(step, context.run.failure(error))
            }
            await context.run.control.waitUntilUnpaused(context.path)
        }
        // The run may have been stopped while the step waited, or while its condition needed a session.
        guard context.mayStart else { return context.skipped(step, .interrupted) }
        return await inner.execute(step, in: context)
    }
}
