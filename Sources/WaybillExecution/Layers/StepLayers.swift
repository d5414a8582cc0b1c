import WaybillPlan

/// How the keys of a step nest: `deadline`( `when` → `delay` → `forEach`( `until`( `paginate`( `stream`( `retry`(
/// attempt )))))).
///
/// From `Executor.run` to the network, a request passes through:
///
/// 1. `GraphRunner.run`: a graph with its deadline, `finally` and outputs
/// 2. `GroupRunner.run`: the steps of a chain or batch, each in a task that can be cancelled by itself
/// 3. `DeadlineLayer.execute`
/// 4. `WhenLayer.execute`
/// 5. `DelayLayer.execute`
/// 6. `ForEachLayer.execute`
/// 7. `WorkLayer.execute`: the work of the step; for a request also its interceptors, records and result
/// 8. `UntilLayer.execute`
/// 9. `PaginateLayer.execute`
/// 10. `StreamLayer.execute`
/// 11. `RetryLayer.execute`
/// 12. `AttemptLayer.execute`: builds the request and evaluates the response
/// 13. `RequestSender.send`: permits, duplicates and reachability, then `Transport.send`
///
/// A layer passes on a step that does not have its key.
enum StepLayers {
    /// All layers of a step.
    static let step = DeadlineLayer(inner: WhenLayer(inner: DelayLayer(inner: ForEachLayer(inner: work))))

    /// The work of a step, with the layers around it that repeat it.
    static let work = WorkLayer()
}

/// One layer of a step: implements a key of steps around the layers inside it.
///
/// The outer layers execute a planned step and return a `NodeOutcome`; the inner ones execute a `TypedStep`, those of
/// requests with an `AttemptOutcome`.
protocol Layer<Step, Outcome>: Sendable {
    associatedtype Step
    associatedtype Outcome

    /// Executes a step from this layer on inwards.
    func execute(_ step: Step, in context: StepContext) async -> Outcome
}

/// A step whose kind of work is known.
protocol WorkStep: Sendable {
    var step: StepPlan { get }
}

/// A step with its work.
struct TypedStep<Work: Sendable>: WorkStep {
    let step: StepPlan
    let work: Work
}

/// A step that sends a request.
typealias RequestStep = TypedStep<RequestPlan>

extension RequestStep {
    /// The request.
    var plan: RequestPlan { work }
}
