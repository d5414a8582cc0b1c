public import WaybillFormats

/// How the cache was used for a response.
public enum CacheUse: String, Sendable, CaseIterable {
    /// The response came from the cache, and nothing was sent.
    case hit
    /// The server confirmed the stored response.
    case revalidated
    /// The response came from the server.
    case miss
}

/// A kind of step that contains other steps.
public enum StepGroup: String, Sendable {
    /// Its steps run one after another.
    case chain
    /// Its steps run at the same time.
    case batch
    /// It runs a graph.
    case graph
}

/// The result of a step.
public struct StepResult: Sendable, Equatable {
    /// The step's id, unique in its graph.
    public var id: String
    /// The name that the manifest gives the step.
    public var name: String?
    /// The path of the step: the graph and the ids down to the step, such as `main.both.schedule`.
    public var path: String
    /// The graph that contains the step.
    public var graph: String
    /// The name of the endpoint that the step calls, if it has one.
    public var endpoint: String?
    /// The tags by which runs can be limited: the `tag` of the step and of its request.
    package var tags: [String] = []
    /// What the step consists of, if it contains other steps, and is no `forEach`.
    public var group: StepGroup?
    /// How the step finished.
    public var outcome: StepOutcome
    /// The number of attempts of the step's request; 0 if none was sent.
    public var attempts = 0
    /// The number of pages of a request with `paginate` that arrived, those of an earlier process included.
    package var pages: Int?
    /// How many times a request with `until` was polled by the process that finished the step.
    package var polls: Int?
    /// The status of the last response.
    public var status: Int?
    /// How the cache was used for the last response; `nil` if the request did not use it.
    public var cache: CacheUse?
    /// The method of the last request.
    public var method: String?
    /// The URL of the last request.
    public var url: RedactedText?
    /// When the step started; `nil` if it was skipped.
    public var startedAt: Timestamp?
    /// The duration: of a request's last attempt, otherwise of the whole step.
    package var time: PhaseTimes?
    /// The bytes transmitted in all attempts.
    public var bytes: ByteCounts?
    /// Why the step failed.
    public var failure: Failure?
    /// How the step's elements finished, if it is a forEach.
    public var elements: ElementResults?

    /// Whether the step is one of the steps that are counted: a group of steps is not, unless it has a failure of its own.
    package var isCounted: Bool { group == nil || failure != nil }

    /// Creates a result from the properties that are always known; the others are set afterwards.
    public init(
        id: String,
        path: String,
        graph: String,
        outcome: StepOutcome,
        failure: Failure? = nil
    ) {
        self.id = id
        self.path = path
        self.graph = graph
        self.outcome = outcome
        self.failure = failure
    }
}

extension StepResult: JSONStreamable {
    /// Writes the step as in `run.json`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("id", id)
        object.add("name", name)
        object.add("path", path)
        object.add("graph", graph)
        object.add("endpoint", endpoint)
        if !tags.isEmpty { object.add("tags", each: tags) }
        object.add("group", group?.rawValue)
        object.add("outcome", outcome.rawValue)
        object.add("attempts", attempts)
        object.add("pages", pages)
        object.add("polls", polls)
        object.add("status", status)
        object.add("cache", cache?.rawValue)
        object.add("method", method)
        object.add("url", url)
        object.add("startedAt", startedAt)
        object.add("time", time)
        object.add("bytes", bytes)
        object.add("failure", failure)
        object.add("elements", elements)
    }
}
