import WaybillResults

/// The outcome of a step, a group or a graph.
struct NodeOutcome: Sendable {
    /// How it ended, for what stands around it.
    enum End: Sendable, Equatable {
        /// What depends on it may go on. Also: it failed, and that is tolerated.
        case passed
        /// It failed.
        case failed
        /// A resumed run found a change in the data that the run started with. No `onFailure` tolerates it, and nothing
        /// that follows starts.
        case refused
        /// It was stopped from outside.
        case cancelled
        /// It was not run.
        case skipped(RunEvent.SkipReason)
        /// It was cancelled by itself, or cancelled or not sent because of a request that is the same; the outcome is
        /// `cancelled` or `skipped`. What is around it continues.
        case withdrawn(StepOutcome)
        /// It was an `end` whose condition holds: the chain around it has ended, with success.
        case ended
    }

    /// How it ended.
    var end: End
    /// What is reported of the requests in it, in plan order.
    var steps: [StepResult] = []
    /// The first failure.
    var failure: Failure?
    /// What a resumed run does with it.
    var use = RunEvent.KeptRecord.Use.taken
    /// The domains whose cookies in the run's own jar it set, where it is a request.
    var cookies: [RedactedText] = []

    /// The address of the request that failed first, where one was built.
    var failedURL: RedactedText? {
        guard let failure else { return nil }
        return steps.first { $0.failure == failure }?.url
    }

    /// What becomes of what it is in, when the run is resumed.
    var useAround: RunEvent.KeptRecord.Use { use == .taken ? .taken : .partly }

    /// The outcome for reports.
    var outcome: StepOutcome {
        switch end {
        case .passed, .ended: .passed
        case .failed, .refused: .failed
        case .cancelled: .cancelled
        case .skipped: .skipped
        case .withdrawn(let outcome): outcome
        }
    }

    /// The same, of what was cancelled by itself: it takes nothing around it along.
    var cancelledByItself: NodeOutcome {
        var node = self
        switch end {
        case .cancelled: node.end = .withdrawn(.cancelled)
        case .skipped(.interrupted): node.end = .withdrawn(.skipped)
        case .passed, .failed, .refused, .ended, .withdrawn, .skipped: break
        }
        return node
    }
}
