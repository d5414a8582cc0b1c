import WaybillDiagnostics
import WaybillRuntime

/// A format of reports about runs, for other programs or for people.
package protocol RunReport: Sendable {
    /// The name of the format, as in `--report NAME=FILE`.
    static var name: String { get }

    /// Writes the report of some runs. It ends in a line break.
    ///
    /// - Throws: An error if the folder of a run cannot be read.
    static func write(_ runs: [ReportedRun], to stream: inout ReportStream) throws(ResultsError)
}

extension RunReport {
    /// Writes the report to a file, which is replaced atomically. Missing parent folders are created.
    package static func write(_ runs: [ReportedRun], toFile path: String) throws(ResultsError) {
        let folder = FileContents.folder(of: path)
        try FolderContents.make(folder)
        try OutputFile.replaceDurably(path) { output throws(ResultsError) in
            try write(runs, folder: folder, output)
        }
    }

    /// Passes the report to a function, in pieces.
    package static func write(
        _ runs: [ReportedRun],
        folder: String? = nil,
        _ output: @escaping ReportStream.Output
    ) throws(ResultsError) {
        var stream = ReportStream(folder: folder, output)
        try write(runs, to: &stream)
        try stream.finish()
    }
}

/// All report formats.
package enum RunReports {
    /// The formats, in the order of their names.
    package static let all: [any RunReport.Type] = [
        CoverageReport.self, HARReport.self, HTMLReport.self, JSONReport.self, JUnitReport.self, MarkdownReport.self,
        PrometheusReport.self, TAPReport.self,
    ]

    /// Returns the format with a name.
    package static func named(_ name: String) -> (any RunReport.Type)? { all.first { $0.name == name } }
}

extension RunResult {
    /// The prefix for the path of a step in a report of `count` runs; empty for a single run.
    func prefix(among count: Int) -> String { count > 1 ? "\(manifest): " : "" }
}

extension StepResult {
    /// The path, followed by the step's name if it has one.
    var title: String {
        guard let name, name != id else { return path }
        return "\(path) (\(name))"
    }

    /// Whether the step itself failed, including a tolerated failure.
    var hasFailed: Bool { isCounted && (outcome == .failed || outcome == .tolerated) }

    /// The method and the URL of the last request.
    var request: String? { method.flatMap { method in url.map { "\(method) \($0)" } } }
}

extension ElementResults {
    /// The counts as text, such as `12 failed, 188 passed`.
    var summary: String { counts.summary }

    /// The counts, and a line for each element with a name.
    var listing: String {
        ([summary] + (responseTimes.map { ["response times: \($0)"] } ?? [])
            + cases.map { "[\($0.index)] \($0.name): \($0.outcome.rawValue)" }).joined(separator: "\n")
    }
}

extension StepResult {
    /// The path of an element, followed by its name if it has one.
    func title(ofElement index: Int, _ name: RedactedText?) -> String {
        "\(path)[\(index)]" + (name.map { " (\($0))" } ?? "")
    }
}

extension ElementResults.ElementFailure {
    /// The failure on one line, with everything that was found: `[3] {"id": 3}: 2 expectations failed: …; …`.
    var line: String {
        let subject = (subject.name ?? subject.value).map { " \($0)" } ?? ""
        let messages = failure.details.map(\.message.description).filter { $0 != failure.message.description }
        let details = messages.isEmpty ? "" : ": \(messages.joined(separator: "; "))"
        return PrintableText.oneLine("[\(index)]\(subject): \(failure.message)\(details)")
    }
}

extension OutcomeCounts {
    /// The nonzero counts as text, failures first, such as `1 failed, 3 passed`.
    package var summary: String {
        let order: [StepOutcome] = [.failed, .tolerated, .cancelled, .passed, .skipped]
        let words = order.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.rawValue)" }
        return words.isEmpty ? "nothing to do" : words.joined(separator: ", ")
    }
}

extension Duration {
    /// The duration in seconds, with three decimals.
    var secondsText: String {
        let milliseconds = max(0, Int((self / .milliseconds(1)).rounded()))
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
    }
}
