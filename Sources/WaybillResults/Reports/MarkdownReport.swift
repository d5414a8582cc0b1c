import WaybillDiagnostics
import WaybillJSON

/// Markdown for GitHub and GitLab: the outcome, each failure, and a table of the steps. It is short enough for a
/// comment on a pull request.
package enum MarkdownReport: RunReport {
    package static let name = "markdown"

    /// The maximum size; GitHub limits a comment to 65,536 characters.
    private static let greatestSize = 60_000
    private static let longestFailure = 4_000
    /// The maximum size of the headings of the runs together.
    private static let longestHeadings = 20_000
    /// The minimum size that is left for the table of a run.
    private static let shortestTable = 1_000
    private static let longestWarning = 500
    /// The maximum number of operations that are listed as not called.
    private static let longestList = 50

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        stream.write(document(for: runs))
    }

    /// Returns the report of some runs.
    package static func document(for reported: [ReportedRun]) -> String {
        let runs = reported.map(\.result)
        var text = ""
        var omitted = 0
        // Runs that did not pass come first.
        for run in runs.filter({ $0.outcome != .passed }) + runs.filter({ $0.outcome == .passed }) {
            let heading = heading(of: run)
            guard text.isEmpty || text.utf8.count + heading.utf8.count < longestHeadings else {
                omitted += 1
                continue
            }
            text += heading
        }
        if omitted > 0 { text += "… and \(omitted) more manifests.\n\n" }
        omitted = 0
        for run in runs {
            for step in run.steps where step.hasFailed {
                let section = section(of: step, run.prefix(among: runs.count))
                if text.utf8.count + section.utf8.count < greatestSize { text += section } else { omitted += 1 }
            }
        }
        if omitted > 0 { text += "\n… and \(omitted) more failures.\n" }
        for run in reported {
            let warnings = warnings(of: run, run.result.prefix(among: runs.count))
            if text.utf8.count + warnings.utf8.count < greatestSize { text += warnings }
        }
        let coverage = coverage(of: ContractCoverage.combined(runs.map(\.coverage)))
        if text.utf8.count + coverage.utf8.count < greatestSize { text += coverage }
        for (index, run) in runs.enumerated() {
            guard text.utf8.count + shortestTable < greatestSize else {
                text += "… and the steps of \(runs.count - index) more manifests.\n"
                break
            }
            text += table(of: run, run.prefix(among: runs.count), room: greatestSize - text.utf8.count)
        }
        return text
    }

    private static func heading(of run: RunResult) -> String {
        let mark = run.outcome == .passed ? "✅" : "❌"
        let environment = run.environment.map { ", environment \(code($0))" } ?? ""
        let part = run.part.map { ", \($0)" } ?? ""
        let mock = run.isMocked ? ", on the mock server" : ""
        let end = "\(environment)\(part)\(mock)\n\n"
        return "### \(mark) \(code(run.manifest)): \(run.counts.summary) in \(run.time.secondsText) s\(end)"
            + (run.responseTimes.map { "Response times: \($0)\n\n" } ?? "")
    }

    private static func section(of step: StepResult, _ prefix: String) -> String {
        guard let failure = step.failure else { return "" }
        let word = step.outcome == .tolerated ? "tolerated" : "failed"
        var text = "**\(word)**: \(code(prefix + step.title))"
        if let request = step.request { text += " \(code(request))" }
        var details = failure.text(HumanRenderer())
        if let elements = step.elements {
            details += "\nelements: \(elements.summary)\n"
            for element in elements.failures.prefix(10) {
                details += "\(element.line)\n"
            }
        }
        return text + "\n\n" + block(details.excerpt(longestFailure)) + "\n"
    }

    /// Returns the warnings of a run as a list.
    private static func warnings(of run: ReportedRun, _ prefix: String) -> String {
        let lines = ReportedWarnings(of: run).allLines.map {
            "- ⚠️ \(code((prefix + $0).excerpt(longestWarning)))\n"
        }
        return lines.isEmpty ? "" : lines.joined() + "\n"
    }

    /// Returns the coverage of documents, with the operations that were not called.
    private static func coverage(of documents: [ContractCoverage]) -> String {
        documents.map { document in
            let uncalled = document.uncalled.prefix(longestList).map { code($0.name) }
            let rest = document.uncalled.count - uncalled.count
            let list = uncalled.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
            return "\(code(document.document)): \(document.summary)" + (list.isEmpty ? "" : "; not called: \(list)")
                + "\n\n"
        }.joined()
    }

    /// Returns a table of as many steps as fit.
    private static func table(of run: RunResult, _ prefix: String, room: Int) -> String {
        let counted = run.steps.count(where: \.isCounted)
        let count = counted == 1 ? "1 step" : "\(counted) steps"
        var text = "<details><summary>\(XMLText.content(PrintableText.oneLine(prefix)))\(count)</summary>\n\n"
        text += "| | step | request | status | time |\n|---|---|---|---|---|\n"
        for (index, step) in run.steps.enumerated() {
            let status = step.status.map { String($0) } ?? ""
            let time = step.time.map { "\($0.total.secondsText) s" } ?? ""
            let request = step.request.map { cell($0) } ?? ""
            let cells: [String] = [mark(step.outcome), cell(step.title), request, status, time]
            let ofElements = (step.elements?.cases ?? []).map { element in
                let title = cell(step.title(ofElement: element.index, element.name))
                return
                    "| \(mark(element.outcome)) | \(title) | | | \(element.time.map { "\($0.secondsText) s " } ?? "")|\n"
            }
            let row = "| \(cells.joined(separator: " | ")) |\n" + ofElements.joined()
            guard text.utf8.count + row.utf8.count < room else {
                text += "\n… and \(run.steps.count - index) more.\n"
                break
            }
            text += row
        }
        return text + "\n</details>\n\n"
    }

    private static func mark(_ outcome: StepOutcome) -> String {
        switch outcome {
        case .passed: "✅"
        case .failed: "❌"
        case .tolerated: "⚠️"
        case .skipped: "skipped"
        case .cancelled: "cancelled"
        }
    }

    /// Formats a string as code, in which Markdown has no meaning, with more backticks than it contains itself.
    private static func code(_ text: String) -> String {
        let text = PrintableText.oneLine(text)
        let fence = String(repeating: "`", count: longestRun(in: text) + 1)
        return fence.utf8.count == 1 ? "`\(text)`" : "\(fence) \(text) \(fence)"
    }

    /// Formats a string as code in a table, where '|' would end the cell even inside code.
    private static func cell(_ text: String) -> String { code(text).replacing("|", by: "\\|") }

    private static func block(_ text: String) -> String {
        let fence = String(repeating: "`", count: max(3, longestRun(in: text) + 1))
        return "\(fence)\n\(text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n")\(fence)\n"
    }

    private static func longestRun(in text: String) -> Int {
        var (longest, current) = (0, 0)
        for byte in text.utf8 {
            current = byte == UInt8(ascii: "`") ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }
}
