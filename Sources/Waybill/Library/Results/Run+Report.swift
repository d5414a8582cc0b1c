import WaybillResults

extension Run {
    /// What came of a run.
    public struct Report: Sendable {
        private let result: RunResult

        /// Every step, in the order of the plan.
        public let steps: [Step]
        /// The outputs of the graphs that passed: an object of an object for each graph, as in `outputs.json`. Secrets are
        /// masked in it.
        public let outputs: Value
        /// The folder of the results.
        public let folder: String

        init(_ report: RunSession.Report) {
            result = report.result
            steps = report.result.steps.map(Step.init)
            outputs = Value(report.outputs)
            folder = report.folder
        }

        /// The run's name, such as `20261121-052703-k3v9qa`.
        public var id: String { result.id.description }

        /// How it ended.
        public var outcome: Outcome { Outcome(result.outcome) }

        /// How many steps ended in each way.
        public var counts: Counts { Counts(result.counts) }

        /// When it began; for a run that was resumed, when it began for the first time.
        public var startedAt: Moment { Moment(result.startedAt) }

        /// When everything had ended.
        public var finishedAt: Moment { Moment(result.finishedAt) }

        /// The steps that failed, in the order of the plan; those whose failure is tolerated are not among them.
        public var failedSteps: [Step] { steps.filter { $0.outcome == .failed } }

        /// The step of a path, such as `main.login`.
        public func step(at path: String) -> Step? { steps.first { $0.path.utf8.elementsEqual(path.utf8) } }
    }
}
