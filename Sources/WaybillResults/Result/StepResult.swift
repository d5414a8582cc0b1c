package import WaybillFormats

/// How the cache took part in a response.
package enum CacheUse: String, Sendable, CaseIterable {
    /// The response came from the cache, and nothing was sent.
    case hit
    /// The server confirmed the stored response.
    case revalidated
    /// The response came from the server.
    case miss
}

/// What became of one step.
package struct StepResult: Sendable, Equatable {
    /// The step's id, unique in its graph.
    package var id: String
    /// The name that its author gave it.
    package var name: String?
    /// Where it stands: the graph and the ids down to it, as in `main.both.schedule`.
    package var path: String
    /// The graph that it belongs to.
    package var graph: String
    /// The endpoint that it calls, if it calls a named one.
    package var endpoint: String?
    /// The words that runs can be limited to: the `tag` of the step and of its request.
    package var tags: [String]
    /// How it ended.
    package var outcome: StepOutcome
    /// How often its request was tried; 0 where none was sent.
    package var attempts: Int
    /// The status of the last response.
    package var status: Int?
    /// How the cache took part in the last response; nil if the request did not use it.
    package var cache: CacheUse?
    /// The method of its last request.
    package var method: String?
    /// The address of its last request.
    package var url: RedactedText?
    /// When it began; `nil` for a step that was skipped.
    package var startedAt: Timestamp?
    /// How long it took: of a request the last attempt, otherwise the whole step.
    package var time: PhaseTimes?
    /// The bytes of all its attempts.
    package var bytes: ByteCounts?
    /// Why it failed.
    package var failure: Failure?
    /// How its elements ended, when it is a forEach.
    package var elements: ElementResults?

    /// A result of which at least this much is known; the rest is set afterwards.
    package init(
        id: String,
        path: String,
        graph: String,
        outcome: StepOutcome,
        name: String? = nil,
        endpoint: String? = nil,
        tags: [String] = [],
        attempts: Int = 0,
        status: Int? = nil,
        cache: CacheUse? = nil,
        method: String? = nil,
        url: RedactedText? = nil,
        startedAt: Timestamp? = nil,
        time: PhaseTimes? = nil,
        bytes: ByteCounts? = nil,
        failure: Failure? = nil,
        elements: ElementResults? = nil
    ) {
        self.id = id
        self.name = name
        self.path = path
        self.graph = graph
        self.endpoint = endpoint
        self.tags = tags
        self.outcome = outcome
        self.attempts = attempts
        self.status = status
        self.cache = cache
        self.method = method
        self.url = url
        self.startedAt = startedAt
        self.time = time
        self.bytes = bytes
        self.failure = failure
        self.elements = elements
    }

}

extension StepResult: JSONStreamable {
    /// The step as it stands in `run.json`, without what is unknown.
    package func addMembers(to object: inout JSONStream) {
        object.add("id", id)
        object.add("name", name)
        object.add("path", path)
        object.add("graph", graph)
        object.add("endpoint", endpoint)
        if !tags.isEmpty { object.add("tags", each: tags) }
        object.add("outcome", outcome.rawValue)
        object.add("attempts", attempts)
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
