import WaybillManifest
import WaybillPlan

/// The work of a step, once or for one element: sends a request, executes a group or graph, evaluates values, or ends
/// the chain around it.
struct WorkLayer: Layer {
    let request = UntilLayer(inner: PaginateLayer(inner: StreamLayer(inner: RetryLayer(inner: AttemptLayer()))))
    let group = UntilLayer(inner: GroupLayer())
    let graph = UntilLayer(inner: GraphLayer())
    let values = UntilLayer(inner: ValuesLayer())

    func execute(_ step: StepPlan, in context: StepContext) async -> NodeOutcome {
        switch step.work {
        case .request(let plan):
            let (outcome, record) = await send(RequestStep(step: step, work: plan), in: context)
            context.keep(record, of: step)
            return outcome
        case .group(let plan):
            return await context.reporting(step) {
                await group.execute(TypedStep(step: step, work: plan), in: context)
            }
        case .graph(let call):
            return await context.reporting(step) {
                await graph.execute(TypedStep(step: step, work: call), in: context)
            }
        case .values(let outputs):
            return await values.execute(TypedStep(step: step, work: outputs), in: context)
        case .end(let condition):
            do throws(EvaluationFailure) {
                return NodeOutcome(end: try await context.holds(condition) ? .ended : .passed)
            } catch {
                return context.failed(step, context.run.failure(error))
            }
        }
    }
}
