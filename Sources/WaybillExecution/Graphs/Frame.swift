import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest
import WaybillPlan
import WaybillResults

/// Where steps run: a graph that is under way, and in it the elements of each `forEach` around them.
final class Frame: Sendable {
    /// What all parts of the run share.
    let run: RunContext
    /// The graph whose steps run.
    let graph: String
    /// The inputs of the graph.
    let inputs: [String: ScopeValue]
    /// What is kept of the steps that have ended.
    let steps: StepStore
    /// The variables of the `forEach` around.
    let variables: [String: ScopeValue]
    /// The time limit around.
    let deadline: Deadline?
    /// Whether the steps run even when the run is being stopped, as those of `finally` do.
    let isFinal: Bool
    /// Whether the frame is part of an element of a `forEach`.
    let isInElement: Bool
    /// Whether requests wait for a place among those under way. Those of a session do not: others hold places while they
    /// wait for it.
    let waitsForPlaces: Bool
    /// Whether a step around the graph tolerates failures (`onFailure: continue`).
    private let toleratesFailures: Bool
    /// The step that the frame is an element of.
    private let elementOf: String?
    /// The path in the plan of what the frame is for, and the path of this instance of it.
    private let planned: String
    private let instance: String

    /// The frame of a graph, which a step at this path runs, or which has the path of its own.
    ///
    /// - Parameter step: The step of the outer frame that runs the graph.
    init(
        _ graph: GraphPlan,
        at path: String,
        inputs: [String: ScopeValue],
        in run: RunContext,
        inside outer: Frame?,
        for step: StepPlan? = nil
    ) {
        self.run = run
        self.graph = graph.name
        self.inputs = inputs
        steps = StepStore()
        variables = [:]
        deadline = outer?.deadline
        isFinal = outer?.isFinal ?? false
        isInElement = outer?.isInElement ?? false
        waitsForPlaces = true
        toleratesFailures = step.map { outer?.tolerates($0) ?? $0.isTolerated } ?? false
        elementOf = nil
        planned = graph.name
        instance = path
    }

    private init(sessionFor frame: Frame) {
        run = frame.run
        graph = ""
        inputs = [:]
        steps = StepStore()
        variables = [:]
        deadline = nil
        isFinal = frame.isFinal
        isInElement = false
        waitsForPlaces = false
        toleratesFailures = false
        elementOf = nil
        planned = ""
        instance = ""
    }

    private init(_ outer: Frame, element: String, of path: String, variables: [String: ScopeValue]) {
        run = outer.run
        graph = outer.graph
        inputs = outer.inputs
        steps = StepStore(inside: outer.steps)
        self.variables = variables
        deadline = outer.deadline
        isFinal = outer.isFinal
        isInElement = true
        waitsForPlaces = true
        toleratesFailures = outer.toleratesFailures
        elementOf = path
        planned = path
        instance = element
    }

    private init(_ frame: Frame, deadline: Deadline?, isFinal: Bool) {
        run = frame.run
        graph = frame.graph
        inputs = frame.inputs
        steps = frame.steps
        variables = frame.variables
        self.deadline = deadline
        self.isFinal = isFinal
        isInElement = frame.isInElement
        waitsForPlaces = frame.waitsForPlaces
        toleratesFailures = frame.toleratesFailures
        elementOf = frame.elementOf
        planned = frame.planned
        instance = frame.instance
    }

    /// The frame of one element of a step's `forEach`, which has a path of its own.
    func element(_ path: String, of step: StepPlan, _ name: String, _ value: ScopeValue) -> Frame {
        var variables = variables
        variables[name] = value
        return Frame(self, element: path, of: step.path, variables: variables)
    }

    /// The frame of a request that gives a service its session, on behalf of a step that needs it.
    var forSession: Frame { Frame(sessionFor: self) }

    /// Whether it is the frame of a request that gives a service its session.
    var isForSession: Bool { instance.isEmpty }

    /// Whether a step is done once for each element of a list, and this is one of them.
    func isElement(_ step: StepPlan) -> Bool { elementOf == step.path }

    /// Whether a failure of a step is tolerated: by itself, by a step around it, or by one around the graph.
    func tolerates(_ step: StepPlan) -> Bool { step.isTolerated || toleratesFailures }

    /// The outcome that is reported of a failure of the graph itself.
    var failureOutcome: StepOutcome { toleratesFailures ? .tolerated : .failed }

    /// The same frame with a time limit inside those that it has.
    func within(_ deadline: Deadline) -> Frame {
        Frame(self, deadline: deadline, isFinal: isFinal)
    }

    /// The same frame for steps that run even when the run is being stopped.
    var final: Frame {
        Frame(self, deadline: nil, isFinal: true)
    }

    /// The path of a step, the elements that it is part of included: `main.items[3].get`.
    func path(of step: StepPlan) -> String {
        // The graph's own steps are where the plan has them, but for those of a graph that a step runs.
        if instance == planned { return step.path }
        return instance + step.path.utf8.dropFirst(planned.utf8.count).string
    }

    /// What the expressions of a step see before there is an answer.
    func scope(of path: String) -> RequestScope {
        RequestScope(frame: self, environment: AttemptEnvironment(run: run, path: path))
    }

    /// What expressions written in the graph see.
    func evaluationScope(of path: String) -> EvaluationScope {
        scope(of: path).scope(.graph(graph))
    }

    /// Whether something new may begin.
    var mayBegin: Bool {
        // A run that cannot be recorded any more must not go on.
        !Task.isCancelled && run.folder?.journal.hasFailed != true && (isFinal || !run.control.isStopping)
    }
}

extension Substring.UTF8View {
    fileprivate var string: String { String(Substring(self)) }
}
