import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime

/// The state that the layers share: where a step is executed, and the progress of its request.
///
/// It is a value. A layer changes it for the layers inside it by passing on a changed copy; the results of the layers
/// inside are part of their outcome. Mutable state (`run`, `steps`) is shared by reference.
struct StepContext: Sendable {
    /// What all steps of a graph, or of one element of a `forEach`, have in common.
    struct GraphInstance: Sendable {
        let graph: String
        /// The instance of the graph whose step runs this one. Expressions in the settings of that step see its names.
        var caller: CopyOnWrite<GraphInstance>?
        var inputs: [String: ScopeValue] = [:]
        var steps = StepStore()
        var variables: [String: ScopeValue] = [:]
        var deadline: Deadline?
        var isFinal = false
        var isInElement = false
        var isForSession = false
        var isRepetition = false
        /// The rounds of the steps with `until` around the steps, as a part of what `uuid()` is derived from.
        var rounds = Rounds()
        /// Whether a step around the graph tolerates failures (`onFailure: continue`).
        var toleratesFailures = false
        /// The path in the plan of the step that this is an element of.
        var elementOf: String?
        /// The path in the plan of the graph or element whose steps are executed, and the path of this instance of it.
        var planned: String
        var path: String
    }

    /// The rounds of the groups and graphs that `until` repeats around a step.
    struct Rounds: Sendable {
        /// The rounds of the outer ones.
        fileprivate var outside = ""
        /// How many rounds of the innermost one have finished; `nil` outside of all.
        fileprivate var finished: Int?

        /// A text that differs for each combination of rounds; empty outside of all.
        var text: String { finished.map { "\(outside) \($0)" } ?? "" }
    }

    /// The state of the whole run.
    let run: RunContext

    // MARK: The graph

    private var instance: CopyOnWrite<GraphInstance> {
        get { position.value.instance }
        _modify { yield &position.value.instance }
    }

    /// The graph whose steps are executed.
    var graph: String { instance.value.graph }
    /// The inputs of the graph.
    var inputs: [String: ScopeValue] { instance.value.inputs }
    /// The records of the steps that have finished.
    var steps: StepStore { instance.value.steps }
    /// The variables of the `forEach` steps that contain the step.
    var variables: [String: ScopeValue] { instance.value.variables }
    /// The innermost time limit that applies.
    var deadline: Deadline? { instance.value.deadline }
    /// Whether the steps are executed even when the run is being stopped, as those of `finally` are.
    var isFinal: Bool { instance.value.isFinal }
    /// Whether the steps are part of an element of a `forEach`.
    var isInElement: Bool { instance.value.isInElement }
    /// Whether it is the context of a request that fetches a session. Such requests do not count towards the limit of
    /// requests in flight, because the requests that wait for the session count already.
    var isForSession: Bool { instance.value.isForSession }

    /// Whether `retry` or `until` repeats what was done before, so that stored responses must not answer it.
    var isRepetition: Bool { instance.value.isRepetition }

    // MARK: The step

    /// Everything but the run, by reference, because a context is copied for each layer but seldom changed.
    private var position: CopyOnWrite<Position>

    private struct Position {
        var instance: CopyOnWrite<GraphInstance>
        var path: String
        var output: StepFile?
        var claim: DuplicateClaim?
        var stream: EventCollector?
        /// Most requests have only one page and one attempt.
        var repetition = StepContext.noRepetition
    }

    private struct Repetition {
        var page = PageRequest.plain
        var pageNumber: Int?
        var progress = RequestProgress()
    }

    private static let noRepetition = CopyOnWrite(Repetition())

    /// The path of this instance of the step, with the indices of the elements that it is in: `main.items[3].get`.
    var path: String { position.value.path }

    /// Where the records of the step, or of one element, are written.
    var output: StepFile? {
        get { position.value.output }
        set { position.value.output = newValue }
    }

    /// The claim of the step's request among equal requests, for `duplicates`.
    var claim: DuplicateClaim? {
        get { position.value.claim }
        set { position.value.claim = newValue }
    }

    /// What receives the events of the step's request, for `stream`.
    var stream: EventCollector? {
        get { position.value.stream }
        set { position.value.stream = newValue }
    }

    /// The page to request.
    var page: PageRequest {
        get { position.value.repetition.value.page }
        set { position.value.repetition.value.page = newValue }
    }

    /// The number of that page, from 1; `nil` if the step does not have `paginate`.
    var pageNumber: Int? {
        get { position.value.repetition.value.pageNumber }
        set { position.value.repetition.value.pageNumber = newValue }
    }

    /// The progress of the step's request in the attempts so far.
    var progress: RequestProgress { position.value.repetition.value.progress }

    /// The context of a graph that is executed by itself, or of a session's request.
    private init(_ run: RunContext, graph: String, plannedAs plannedPath: String = "", at path: String) {
        self.run = run
        let instance = GraphInstance(graph: graph, planned: plannedPath, path: path)
        position = CopyOnWrite(Position(instance: CopyOnWrite(instance), path: path))
    }

    /// The context of a graph that is executed by itself.
    init(_ graph: GraphPlan, in run: RunContext) {
        self.init(run, graph: graph.name, plannedAs: graph.path, at: graph.path)
        guard !graph.ownInputs.isEmpty else { return }
        let inputs = Dictionary(graph.ownInputs.map { ($0.name, ScopeValue($0.value)) }) { first, _ in first }
        instance.value.inputs = inputs
    }

    // MARK: Copies

    /// The context of a graph that a step executes with these inputs.
    func calling(_ graph: GraphPlan, inputs: [String: ScopeValue], by step: StepPlan) -> StepContext {
        var context = StepContext(run, graph: graph.name, plannedAs: graph.path, at: path)
        var inside = context.instance.value
        inside.caller = instance
        inside.inputs = inputs
        inside.deadline = deadline
        inside.isFinal = isFinal
        inside.isInElement = isInElement
        inside.isRepetition = isRepetition
        inside.rounds = instance.value.rounds
        inside.toleratesFailures = tolerates(step)
        context.instance = CopyOnWrite(inside)
        return context
    }

    /// The context of a step of the graph.
    func of(_ step: StepPlan) -> StepContext {
        var context = self
        context.position = CopyOnWrite(Position(instance: instance, path: path(of: step)))
        return context
    }

    /// The context of one element of a step's `forEach`, with the element's path.
    func element(_ path: String, of step: StepPlan, _ name: String, _ value: ScopeValue) -> StepContext {
        var inside = instance.value
        inside.steps = StepStore(inside: steps)
        inside.variables[name] = value
        inside.isInElement = true
        inside.elementOf = step.path
        inside.planned = step.path
        inside.path = path
        var context = self
        context.instance = CopyOnWrite(inside)
        context.position.value.path = path
        return context
    }

    /// This context with further names for expressions.
    func adding(_ variables: [String: ScopeValue]) -> StepContext {
        var context = self
        context.instance.value.variables.merge(variables) { $1 }
        return context
    }

    /// This context with another time limit inside the current ones.
    func within(_ deadline: Deadline) -> StepContext {
        var context = self
        context.instance.value.deadline = deadline
        return context
    }

    /// This context for steps that are executed even when the run is being stopped.
    var final: StepContext {
        var context = self
        context.instance.value.deadline = nil
        context.instance.value.isFinal = true
        return context
    }

    /// The context of the request that fetches a session, on behalf of this step.
    func session(_ step: StepPlan) -> StepContext {
        var context = StepContext(run, graph: "", at: "")
        context.instance.value.isFinal = isFinal
        context.instance.value.isForSession = true
        context.position.value.path = step.path
        return context
    }

    /// This context with the progress of its request.
    func after(_ progress: RequestProgress) -> StepContext {
        var context = self
        context.position.value.repetition.value.progress = progress
        return context
    }

    /// This context for another try of the same work, with the progress of its request.
    func again(after progress: RequestProgress = RequestProgress()) -> StepContext {
        var context = after(progress)
        context.instance.value.isRepetition = true
        return context
    }

    /// This context for the rounds of the group or graph of the step.
    func inRounds() -> StepContext {
        var context = self
        context.instance.value.rounds =
            Rounds(outside: instance.value.rounds.text, finished: earlier?.rounds(of: path) ?? 0)
        return context
    }

    /// This context for the next round of the same group or graph.
    func nextRound() -> StepContext {
        var context = again()
        context.instance.value.rounds.finished! += 1
        return context
    }

    // MARK: Questions

    /// Whether this is the context of one element of the step's `forEach`.
    func isElement(_ step: StepPlan) -> Bool { instance.value.elementOf == step.path }

    /// Whether a failure of a step is tolerated: by itself, by a step around it, or by a step that executes the graph.
    func tolerates(_ step: StepPlan, _ failure: Failure? = nil) -> Bool {
        failure?.endsRun != true && (step.isTolerated || instance.value.toleratesFailures)
    }

    /// Whether something around a step tolerates its failures.
    func toleratesAround(_ step: StepPlan) -> Bool { step.isToleratedOutside || instance.value.toleratesFailures }

    /// The outcome to report for a failure of the graph itself.
    var failureOutcome: StepOutcome { instance.value.toleratesFailures ? .tolerated : .failed }

    /// The path of a step of the graph.
    private func path(of step: StepPlan) -> String {
        // Only the steps of elements, and of a graph that a step executes, have other paths than in the plan.
        let (planned, path) = (instance.value.planned, instance.value.path)
        if path == planned { return step.path }
        return path + String(Substring(step.path.utf8.dropFirst(planned.utf8.count)))
    }

    /// Whether new work may start.
    var mayStart: Bool {
        // A run must not continue when its journal cannot be written.
        !Task.isCancelled && run.folder?.journal.hasFailed != true && (isFinal || !run.control.isStopping)
    }

    /// Waits; returns `false` if the task was cancelled in the meantime, or the run is being stopped.
    func pause(for duration: Duration) async -> Bool {
        await run.pause(for: duration, isFinal: isFinal)
    }

    /// The scope of the step's expressions before there is a response.
    var scope: RequestScope {
        RequestScope(
            context: self,
            environment: AttemptEnvironment(run: run, instance: path + instance.value.rounds.text, deadline: deadline)
        )
    }

    /// The instance of a graph whose names an expression sees: that of this graph, or that of a graph whose step runs it.
    func instance(of graph: String) -> CopyOnWrite<GraphInstance> {
        var found = instance
        while found.value.graph != graph, let caller = found.value.caller { found = caller }
        return found
    }

    /// The scope of expressions in the graph.
    var evaluationScope: EvaluationScope { scope.scope(.graph(graph)) }
}
