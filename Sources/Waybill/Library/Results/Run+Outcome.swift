import WaybillResults

extension Run {
    /// The outcome of a run.
    public enum Outcome: String, Sendable, CaseIterable {
        /// Everything passed, or its failures were tolerated.
        case passed
        /// At least one step failed.
        case failed
        /// The run was stopped, or a part of it was cancelled, before it finished.
        case interrupted

        init(_ outcome: RunOutcome) {
            self =
                switch outcome {
                case .passed: .passed
                case .failed: .failed
                case .interrupted: .interrupted
                }
        }
    }

    /// The outcome of a step.
    public enum StepOutcome: String, Sendable, CaseIterable {
        /// It succeeded.
        case passed
        /// It failed, and so does the group that contains it.
        case failed
        /// It failed, and the manifest allows the run to continue and to pass (`onFailure: continue`).
        case tolerated
        /// It never started.
        case skipped
        /// It was stopped from outside while it ran.
        case cancelled

        init(_ outcome: WaybillResults.StepOutcome) {
            self =
                switch outcome {
                case .passed: .passed
                case .failed: .failed
                case .tolerated: .tolerated
                case .skipped: .skipped
                case .cancelled: .cancelled
                }
        }
    }

    /// Why a step is skipped.
    public enum SkipReason: String, Sendable, CaseIterable {
        /// Its `when` is false.
        case condition
        /// An earlier step failed.
        case failure
        /// The chain ended early, with success.
        case ended
        /// The run is being stopped.
        case interrupted

        init(_ reason: RunEvent.SkipReason) {
            self =
                switch reason {
                case .condition: .condition
                case .failure: .failure
                case .ended: .ended
                case .interrupted: .interrupted
                }
        }
    }

    /// The number of steps, or of elements of a step with `forEach`, by outcome.
    public struct Counts: Sendable, Equatable {
        /// The number that succeeded.
        public let passed: Int
        /// The number that failed.
        public let failed: Int
        /// The number that failed while the run continued and could still pass.
        public let tolerated: Int
        /// The number that never started.
        public let skipped: Int
        /// The number that were stopped from outside while they ran.
        public let cancelled: Int

        init(_ counts: OutcomeCounts) {
            passed = counts[.passed]
            failed = counts[.failed]
            tolerated = counts[.tolerated]
            skipped = counts[.skipped]
            cancelled = counts[.cancelled]
        }
    }
}
