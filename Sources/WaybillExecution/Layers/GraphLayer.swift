import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// `graph`: executes another graph as a step.
struct GraphLayer: RepeatableLayer {
    func execute(_ step: TypedStep<GraphCall>, in context: StepContext) async -> NodeOutcome {
        guard let graph = context.run.executor.plan.subgraphs[step.work.path] else {
            preconditionFailure("the plan has a step with an unknown graph")
        }
        var scope = context.scope
        let inner: StepContext
        do throws(EvaluationFailure) {
            try await scope.evaluate(step.work.arguments, at: .graph(context.graph))
            inner = context.calling(graph, inputs: scope.arguments, by: step.step)
            try graph.checks.require(in: inner.scope.scope(.graph(graph.name)))
        } catch {
            return context.failed(step.step, context.run.failure(error), after: NodeOutcome(end: .failed))
        }
        let outcome = await GraphRunner(graph: graph, context: inner).run()
        var record = StepRecord(isPassed: outcome.node.hasPassed, error: outcome.node.failure.inExpressions)
        record.outputs = outcome.outputs ?? [:]
        do throws(Failure) {
            try context.keep(record.outputs.values.map(\.json), in: &record.memory, at: step.step.span)
        } catch {
            return context.failed(step.step, error, after: outcome.node)
        }
        context.keep(record, of: step.step)
        return outcome.node
    }
}
