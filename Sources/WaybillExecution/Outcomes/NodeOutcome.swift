import WaybillResults

/// The outcome of a step, a group or a graph.
struct NodeOutcome: Sendable {
    /// How it ended, for the group or graph that contains it.
    enum End: Sendable, Equatable {
        /// It passed, or its failure is tolerated: steps that depend on it continue.
        case passed
        /// It failed.
        case failed
        /// A resumed run found a change in the data that the run started with. No `onFailure` tolerates it, and nothing
        /// that follows starts.
        case refused
        /// It was cancelled.
        case cancelled
        /// It was not run.
        case skipped(SkipReason)
        /// It was cancelled by itself, or cancelled or not sent because of an equal request; the outcome is `cancelled`
        /// or `skipped`. The group or graph that contains it continues.
        case withdrawn(StepOutcome)
        /// It was an `end` whose condition holds: the chain around it ends with success.
        case ended

        /// The outcome for reports, if a failure is not tolerated.
        var outcome: StepOutcome {
            switch self {
            case .passed, .ended: .passed
            case .failed, .refused: .failed
            case .cancelled: .cancelled
            case .skipped: .skipped
            case .withdrawn(let outcome): outcome
            }
        }

        /// The end after it was cancelled by itself: the steps around it continue.
        var cancelledByItself: End {
            switch self {
            case .cancelled: .withdrawn(.cancelled)
            case .skipped(.interrupted): .withdrawn(.skipped)
            case .passed, .failed, .refused, .ended, .withdrawn, .skipped: self
            }
        }
    }

    /// How it ended.
    var end: End
    /// The results to report, in plan order.
    var steps: [StepResult] = []
    /// The first failure.
    var failure: Failure?
    /// What a resumed run does with it.
    var use = RunEvent.KeptRecord.Use.taken
    /// The domains for which it set cookies in the run's own jar, if it is a request.
    var cookies: [RedactedText] = []

    /// Whether it passed, and no failure in it was tolerated.
    var hasPassed: Bool { end == .passed && failure == nil }

    /// The URL of the request that failed first, if it was built.
    var failedURL: RedactedText? {
        guard let failure else { return nil }
        return steps.first { $0.failure == failure }?.url
    }
}
