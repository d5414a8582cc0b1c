import WaybillResults

extension Run {
    /// How a run ended.
    public enum Outcome: String, Sendable, CaseIterable {
        /// Everything passed, or its failures were tolerated.
        case passed
        /// At least one step failed.
        case failed
        /// Somebody stopped the run, or cancelled a part of it, before its end.
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

    /// How a step ended.
    public enum StepOutcome: String, Sendable, CaseIterable {
        /// All went as it should.
        case passed
        /// It failed, and so does what it is in.
        case failed
        /// It failed, and the manifest lets the run go on and pass (`onFailure: continue`).
        case tolerated
        /// It never began.
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

    /// Why a step does not begin.
    public enum SkipReason: String, Sendable, CaseIterable {
        /// Its `when` is false.
        case condition
        /// Something before it failed.
        case failure
        /// The chain was ended early, with success.
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

    /// How many steps, or elements of a step with `forEach`, ended in each way.
    public struct Counts: Sendable, Equatable {
        /// Those that went as they should.
        public let passed: Int
        /// Those that failed.
        public let failed: Int
        /// Those that failed, with the run going on and passing.
        public let tolerated: Int
        /// Those that never began.
        public let skipped: Int
        /// Those that were stopped from outside while they ran.
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
