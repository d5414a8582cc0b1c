package import WaybillFormats

/// What became of a run: the content of `run.json`.
package struct RunResult: Sendable, Equatable {
    /// The run's name.
    package var id: RunID
    /// The manifest's path, as it was given.
    package var manifest: String
    /// The environment that was laid over the manifest.
    package var environment: String?
    /// When the run began.
    package var startedAt: Timestamp
    /// When everything had ended.
    package var finishedAt: Timestamp
    /// How long it ran: without pauses, and without the time between the end of a process and the next one that resumed it.
    package var time: Duration
    /// How it ended.
    package var outcome: RunOutcome
    /// Every step, in the order of the plan.
    package var steps: [StepResult]

    /// A result; see the properties.
    package init(
        id: RunID,
        manifest: String,
        environment: String?,
        startedAt: Timestamp,
        finishedAt: Timestamp,
        time: Duration,
        outcome: RunOutcome,
        steps: [StepResult]
    ) {
        self.id = id
        self.manifest = manifest
        self.environment = environment
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.time = time
        self.outcome = outcome
        self.steps = steps
    }

    /// How many steps ended in each way.
    package var counts: OutcomeCounts { OutcomeCounts(of: steps) }

}

extension RunResult: JSONStreamable {
    /// The result as `schemas/run.schema.json` describes it.
    package func addMembers(to object: inout JSONStream) {
        object.add("id", id.description)
        object.add("manifest", manifest)
        object.add("environment", environment)
        object.add("startedAt", startedAt)
        object.add("finishedAt", finishedAt)
        object.add("time", PhaseTimes(total: time))
        object.add("outcome", outcome.rawValue)
        object.add("counts", counts)
        object.add("steps", each: steps)
    }
}
