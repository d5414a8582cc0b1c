package import WaybillData

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
        outcome: RunOutcome,
        steps: [StepResult]
    ) {
        self.id = id
        self.manifest = manifest
        self.environment = environment
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.outcome = outcome
        self.steps = steps
    }

    /// How many steps ended in each way.
    package var counts: OutcomeCounts { OutcomeCounts(steps.lazy.map(\.outcome)) }

    /// The result as `schemas/run.schema.json` describes it.
    package var json: JSON {
        var members = Members()
        members.add("id", id.description)
        members.add("manifest", manifest)
        members.add("environment", environment)
        members.add("startedAt", startedAt)
        members.add("finishedAt", finishedAt)
        members.add("outcome", outcome.rawValue)
        members.add("counts", counts.json)
        members.add("steps", .array(steps.map(\.json)))
        return members.json
    }
}
