import WaybillPlan
import WaybillResults

/// The outcome of a step's request with all its attempts.
struct RequestOutcome: Sendable {
    /// The result to report.
    var result: StepResult
    /// The record for later expressions.
    var record: StepRecord
    /// How the request ended, for the group that contains its step.
    var end: NodeOutcome.End
    /// What a resumed run does with it.
    var use = RunEvent.KeptRecord.Use.taken
    /// The domains for which it set cookies in the run's own jar.
    var cookies: [RedactedText] = []
}

extension NodeOutcome {
    /// The outcome of a step with a request.
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
