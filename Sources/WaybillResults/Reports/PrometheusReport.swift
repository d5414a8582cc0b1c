import WaybillDiagnostics
import WaybillFormats

/// Gauges in the text format of Prometheus, for the textfile collector of node_exporter: the outcome, counts and times of
/// each run, and of each step.
package enum PrometheusReport: RunReport {
    package static let name = "prometheus"

    /// The samples of one metric.
    private struct Metric {
        let name: String
        let help: String
        /// The text of each sample, without its name.
        var samples: [String] = []
        /// The labels so far: a metric that has some twice would make readers reject the whole file.
        private var labels: Set<[UInt8]> = []

        init(_ name: String, _ help: String) {
            self.name = name
            self.help = help
        }

        /// Adds a sample, unless there is one with the same labels.
        mutating func add(_ value: String, _ labels: [(name: String, value: String)]) {
            let text = labels.map { "\($0.name)=\"\(PrometheusReport.escaped($0.value))\"" }.joined(separator: ",")
            if self.labels.insert(Array(text.utf8)).inserted { samples.append("{\(text)} \(value)") }
        }
    }

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        var success = Metric("waybill_run_success", "Whether the run passed.")
        var finished = Metric("waybill_run_finished_timestamp_seconds", "When the run finished, in seconds since 1970.")
        var duration = Metric("waybill_run_duration_seconds", "The duration of the run.")
        var steps = Metric("waybill_run_steps", "The number of steps by outcome.")
        var times = Metric("waybill_run_response_seconds", "Percentiles of the response times; 1 is the maximum.")
        var stepSuccess = Metric(
            "waybill_step_success",
            "Whether the step passed. Steps that did not finish have none."
        )
        var stepDuration = Metric("waybill_step_duration_seconds", "The duration of the step.")
        var elements = Metric("waybill_step_elements", "The number of elements of a forEach by outcome.")
        for run in runs.map(\.result) {
            let labels = [
                ("manifest", run.manifest), ("environment", run.environment ?? ""), ("mock", String(run.isMocked)),
            ]
            success.add(run.outcome == .passed ? "1" : "0", labels)
            finished.add(String(Double(run.finishedAt.nanoseconds / 1_000_000) / 1000), labels)
            duration.add(run.time.secondsText, labels)
            for outcome in StepOutcome.allCases {
                steps.add(String(run.counts[outcome]), labels + [("outcome", outcome.rawValue)])
            }
            if let figures = run.responseTimes {
                let quantiles = [
                    ("0.5", figures.p50), ("0.95", figures.p95), ("0.99", figures.p99), ("1", figures.maximum),
                ]
                for (quantile, time) in quantiles { times.add(seconds(time), labels + [("quantile", quantile)]) }
            }
            for step in run.steps where step.isCounted {
                let labels = labels + [("step", step.path)]
                switch step.outcome {
                case .passed, .tolerated: stepSuccess.add(step.outcome == .passed ? "1" : "0", labels)
                case .failed: stepSuccess.add("0", labels)
                case .skipped, .cancelled: break
                }
                if let time = step.time { stepDuration.add(seconds(time.total), labels) }
                guard let counts = step.elements?.counts else { continue }
                for outcome in StepOutcome.allCases {
                    elements.add(String(counts[outcome]), labels + [("outcome", outcome.rawValue)])
                }
            }
        }
        for metric in [success, finished, duration, steps, times, stepSuccess, stepDuration, elements]
        where !metric.samples.isEmpty {
            stream.write("# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) gauge\n")
            for sample in metric.samples { stream.write("\(metric.name)\(sample)\n") }
        }
    }

    private static func seconds(_ time: Duration) -> String { String(max(0, time / .seconds(1))) }

    /// Escapes the value of a label.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", by: "\\\\").replacing("\"", by: "\\\"").replacing("\n", by: "\\n")
    }
}
