import WaybillJSON
import WaybillPipeline
import WaybillResults

extension ManifestRun {
    /// The results of a run.
    public struct Report: Sendable {
        let result: RunResult

        /// The outputs of the graphs that passed: an object with an object for each graph, as in `outputs.json`.
        /// Secrets are masked.
        public let outputs: JSONValue
        /// The folder of the results; `nil` if they were not written.
        public let folder: String?
        /// Whether the run has finished. A run that is still running or was killed has not: its outcome is
        /// `interrupted`, and its steps are those that its journal lists, `cancelled` if they have not finished.
        public let isFinished: Bool

        init(_ report: RunSession.Report) {
            self.init(report.result, outputs: report.outputs, folder: report.folder.isEmpty ? nil : report.folder)
        }

        init(_ result: RunResult, outputs: JSON, folder: String?, isFinished: Bool = true) {
            self.result = result
            self.outputs = JSONValue(outputs)
            self.folder = folder
            self.isFinished = isFinished
        }

        /// Creates results, for tests of code that handles them. The folder need not exist.
        public init(
            id: String = "20260101-000000-aaaaaa",
            manifest: String = "waybill.yaml",
            environment: String? = nil,
            startedAt: Timestamp = .now(),
            finishedAt: Timestamp = .now(),
            outcome: Outcome,
            steps: [Step] = [],
            outputs: JSONValue = [:],
            folder: String? = nil,
            isFinished: Bool = true
        ) {
            let result = RunResult(
                id: RunID(name: id),
                manifest: manifest,
                environment: environment,
                startedAt: startedAt,
                finishedAt: finishedAt,
                time: startedAt.duration(to: finishedAt),
                outcome: outcome,
                steps: steps
            )
            let folder = folder.flatMap { $0.isEmpty ? nil : $0 }
            self.init(result, outputs: outputs.json, folder: folder, isFinished: isFinished)
        }

        /// The name of the run, such as `20261121-052703-k3v9qa`.
        public var id: String { result.id.description }

        /// The path of the manifest, as it was specified.
        public var manifest: String { result.manifest }

        /// The environment that was applied to the manifest.
        public var environment: String? { result.environment }

        /// The outcome.
        public var outcome: Outcome { result.outcome }

        /// Every step, in the order of the plan.
        public var steps: [Step] { result.steps }

        /// The number of steps by outcome.
        public var counts: Counts { result.counts }

        /// When the run started; for a resumed run, when it first started.
        public var startedAt: Timestamp { result.startedAt }

        /// When everything had finished; for a run that has not finished, the time of its last event.
        public var finishedAt: Timestamp { result.finishedAt }

        /// How long the run took, without pauses, and without the time between the end of a process and the start of the
        /// next one that resumed the run.
        public var duration: Duration { result.time }

        /// The steps that failed, in the order of the plan, without those whose failure is tolerated.
        public var failedSteps: [Step] { steps.filter { $0.outcome == .failed } }

        /// Returns the step with a path, such as `main.login`.
        public func step(at path: String) -> Step? { steps.first { $0.path.utf8.elementsEqual(path.utf8) } }
    }
}

extension ManifestRun.Report: CustomStringConvertible {
    /// A few lines: the outcome, the numbers of steps, the steps that failed with their messages, and the folder.
    ///
    /// ```
    /// shop.yaml: failed: 1 failed, 3 passed in 48 ms
    ///   main.orders failed 404: shop.yaml:12:5: status: the status is 404, not 2xx
    ///   results: waybill-results/20261121-052703-k3v9qa
    /// ```
    public var description: String {
        let failed = steps.filter { $0.isCounted && ($0.outcome == .failed || $0.outcome == .tolerated) }
        let first = "\(manifest): \(outcome.rawValue): \(counts) in \(duration.timeText)"
        let last = folder.map { "  results: \($0)" }
        return ([first] + failed.map { "  \($0)" } + [last].compactMap(\.self)).joined(separator: "\n")
    }
}
