import WaybillPlan
import WaybillResults

/// The outcome of a step's request with all its attempts.
struct RequestOutcome: Sendable {
    /// What is reported.
    var result: StepResult
    /// What later expressions see.
    var record: StepRecord
    /// How it ended, for what contains it.
    var end: NodeOutcome.End
    /// What becomes of it when the run is resumed.
    var use = RunEvent.KeptRecord.Use.taken
    /// The domains whose cookies in the run's own jar it set.
    var cookies: [RedactedText] = []
}

extension NodeOutcome {
    /// The outcome of a step that is a request.
    init(_ request: RequestOutcome) {
        self.init(
            end: request.end,
            steps: [request.result],
            failure: request.result.failure,
            use: request.use,
            cookies: request.cookies
        )
    }
}
