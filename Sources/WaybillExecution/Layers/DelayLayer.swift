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
                guard await context.pause(for: duration) else { return interrupted(step, in: context) }
            } catch {
                return context.failed(step, context.run.failure(error))
            }
            await context.run.control.waitUntilUnpaused(context.path)
        }
        // The run may have been stopped while the step waited, or while its condition needed a session.
        guard context.mayStart else { return interrupted(step, in: context) }
        return await inner.execute(step, in: context)
    }

    /// The outcome of a step that was not started: a failure if its own deadline has passed.
    private func interrupted(_ step: StepPlan, in context: StepContext) -> NodeOutcome {
        guard step.deadline != nil, let failure = context.deadline?.passed else {
            return context.skipped(step, .interrupted)
        }
        return context.failed(step, failure)
    }
}
