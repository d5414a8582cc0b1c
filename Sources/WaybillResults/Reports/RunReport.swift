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

    /// The numbers of requests of a step that sent several, such as `[("pages", 3), ("attempts", 4)]`. The requests of
    /// pages and polls are not attempts.
    var repetitions: [(noun: String, count: Int)] {
        if elements != nil { return [] }
        var repetitions = [("pages", pages ?? 1), ("polls", polls ?? 1)].filter { $0.1 > 1 }
        // With both, the pages are those of the last poll.
        if repetitions.count < 2, attempts > repetitions.first?.1 ?? 1 { repetitions.append(("attempts", attempts)) }
        return repetitions
    }

    /// The numbers of requests of a step as text, such as `3 pages, 4 attempts`; `nil` if it sent only one.
    package var repetitionText: String? {
        let words = repetitions.map { "\($0.count) \($0.noun)" }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// How the step finished, apart from its elements with names, which are cases of a report; `nil` if these represent the
    /// whole step.
    ///
    /// - Parameter failuresAreCases: Whether failed elements without names are cases, too.
    func ownOutcome(failuresAreCases: Bool = false) -> StepOutcome? {
        guard let elements, elements.count > 0, outcome == .passed || hasFailed else { return outcome }
        if outcome == .passed { return elements.cases.count == elements.count ? nil : outcome }
        let failedCases = elements.cases.filter { [.failed, .tolerated].contains($0.outcome) }.map(\.index)
        let failedCount = Set(failedCases + (failuresAreCases ? elements.failures.map(\.index) : [])).count
        // A failure of the step's own, or of elements without a case, is the step's.
        guard failedCount > 0, failedCount == elements.counts[.failed] + elements.counts[.tolerated],
            failure == nil || elements.failures.contains(where: { $0.failure == failure })
        else { return outcome }
        let unfinished = elements.counts[.skipped] + elements.counts[.cancelled]
        return unfinished > elements.cases.count { [.skipped, .cancelled].contains($0.outcome) } ? .skipped : nil
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
            + cases.map { element in
                let time = element.time.map { ", \($0.secondsText) s" } ?? ""
                return "[\(element.index)] \(element.name): \(element.outcome.rawValue)\(time)"
            }).joined(separator: "\n")
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
