import WaybillPipeline
import WaybillResults

extension ManifestRun {
    /// The results of a run.
    public struct Report: Sendable {
        private let result: RunResult

        /// Every step, in the order of the plan.
        public let steps: [Step]
        /// The outputs of the graphs that passed: an object with an object for each graph, as in `outputs.json`.
        /// Secrets are masked.
        public let outputs: JSONValue
        /// The folder of the results; `nil` if they were not written.
        public let folder: String?

        init(_ report: RunSession.Report) {
            result = report.result
            steps = report.result.steps
            outputs = JSONValue(report.outputs)
            folder = report.folder.isEmpty ? nil : report.folder
        }

        /// The name of the run, such as `20261121-052703-k3v9qa`.
        public var id: String { result.id.description }

        /// The outcome.
        public var outcome: Outcome { result.outcome }

        /// The number of steps by outcome.
        public var counts: Counts { result.counts }

        /// When the run started; for a resumed run, when it first started.
        public var startedAt: Moment { result.startedAt }

        /// When everything had finished.
        public var finishedAt: Moment { result.finishedAt }

        /// The steps that failed, in the order of the plan, without those whose failure is tolerated.
        public var failedSteps: [Step] { steps.filter { $0.outcome == .failed } }

        /// Returns the step with a path, such as `main.login`.
        public func step(at path: String) -> Step? { steps.first { $0.path.utf8.elementsEqual(path.utf8) } }
    }
}
