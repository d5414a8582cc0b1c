import WaybillPlan
import WaybillResults

/// `chain` and `batch`: executes the steps of a group as one step.
struct GroupLayer: RepeatableLayer {
    func execute(_ step: TypedStep<GroupPlan>, in context: StepContext) async -> NodeOutcome {
        let node = await GroupRunner(group: step.work, context: context).run()
        context.keep(StepRecord(isPassed: node.hasPassed, error: node.failure.inExpressions), of: step.step)
        return node
    }
}
