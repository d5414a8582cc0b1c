package import WaybillFormats

/// The result of a run: the content of `run.json`.
package struct RunResult: Sendable, Equatable {
    /// The run's name.
    package var id: RunID
    /// The manifest's path, as it was specified.
    package var manifest: String
    /// The environment that was applied to the manifest.
    package var environment: String?
    /// The part of a run that several processes share, such as `shard 3/8`; `nil` for a whole run.
    package var part: String?
    /// Whether the mock server received the requests.
    package var isMocked = false
    /// When the run started.
    package var startedAt: Timestamp
    /// When everything had finished.
    package var finishedAt: Timestamp
    /// The duration, without pauses and without the time between the end of a process and the start of the next one
    /// that resumed the run.
    package var time: Duration
    /// How the run finished.
    package var outcome: RunOutcome
    /// Every step, in the order of the plan.
    package var steps: [StepResult]
    /// The response times of all requests that the process which finished the run has sent; `nil` without any.
    package var responseTimes: ResponseTimes?
    /// What was seen of the OpenAPI documents whose operations the steps call, by service. Empty for a run with the mock
    /// server, which shows nothing about a service.
    package var coverage: [ContractCoverage] = []

    /// Creates a result; see the properties.
    package init(
        id: RunID,
        manifest: String,
        environment: String?,
        part: String? = nil,
        startedAt: Timestamp,
        finishedAt: Timestamp,
        time: Duration,
        outcome: RunOutcome,
        steps: [StepResult]
    ) {
        self.id = id
        self.manifest = manifest
        self.environment = environment
        self.part = part
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.time = time
        self.outcome = outcome
        self.steps = steps
    }

    /// The number of steps by outcome.
    package var counts: OutcomeCounts { OutcomeCounts(of: steps) }
}

extension RunResult: JSONStreamable {
    /// Writes the result as described in `schemas/run.schema.json`.
    package func addMembers(to object: inout JSONStream) {
        object.add("id", id.description)
        object.add("manifest", manifest)
        object.add("environment", environment)
        object.add("part", part)
        object.add("mock", isMocked ? true : nil)
        object.add("startedAt", startedAt)
        object.add("finishedAt", finishedAt)
        object.add("time", PhaseTimes(total: time))
        object.add("outcome", outcome.rawValue)
        object.add("counts", counts)
        object.add("responseTimes", responseTimes)
        object.add("steps", each: steps)
        if !coverage.isEmpty { object.add("coverage", each: coverage) }
    }
}
