import Waybill
import WaybillDiagnostics
import WaybillJSON
import WaybillResults

/// Formats the differences between two runs.
struct ComparisonPrinter {
    /// Whether the text has colours.
    let colour: Bool

    private static let valueColumns = 60

    /// Returns the differences between the run in a folder and an earlier run of the same manifest.
    func text(of folder: String, against earlier: String?, manifest: String) -> String {
        let name = PrintableText.oneLine(manifest)
        guard let result = RunFolders.entry(of: folder)?.result else { return "\(name)  has no result\n" }
        guard let earlier, let before = RunFolders.entry(of: earlier)?.result else {
            return "\(name)  \(result.outcome.rawValue), only in the later run\n"
        }
        let comparison = RunComparison(
            of: RunComparison.Side(result, folder: folder),
            against: RunComparison.Side(before, folder: earlier)
        )
        let times = "\(RunPrinter.time(before.time)) → \(RunPrinter.time(result.time))"
        var text = "\(name)  \(before.id) → \(result.id)\n"
        text += "  \(before.outcome.rawValue) (\(before.counts.summary)) → "
        text += "\(result.outcome.rawValue) (\(result.counts.summary)), \(times)\n"
        for change in comparison.steps { text += lines(of: change) }
        for change in comparison.elements { text += lines(of: change) }
        for change in comparison.files { text += lines(of: change) }
        for change in comparison.outputs { text += lines(of: change) }
        if comparison.isEmpty { text += "  no step or output differs\n" }
        return text
    }

    private func lines(of change: RunComparison.StepChange) -> String {
        var line = StyledText(colour: colour)
        switch change {
        case .added(let step):
            line.append("  + \(step.path)  ", .good)
            line.append(words(for: step))
        case .removed(let step):
            line.append("  - \(step.path)  ", .bad)
            line.append(words(for: step))
        case .outcome(let before, let after):
            line.append("  \(after.path)  ", .strong)
            line.append(words(for: before))
            line.append(" → ")
            line.append(words(for: after), after.outcome == .failed ? .bad : nil)
        case .time(let before, let after):
            line.append("  \(after.path)  ", .strong)
            let times = [before, after].map { $0.time.map { RunPrinter.time($0.total) } ?? "" }
            line.append(times.joined(separator: " → "))
        }
        return line.text + "\n"
    }

    /// `failed 404: the status is 404, not 2xx`
    private func words(for step: StepResult) -> String {
        let result = [
            step.outcome.rawValue, step.status.map(String.init), step.elements.map { "(\($0.counts.summary))" },
        ]
        let reason = step.failure.map { ": \($0.message)" } ?? ""
        return result.compactMap(\.self).joined(separator: " ") + reason
    }

    /// `main.details[5]  "SKU-5"  passed → failed: the status is 404, not 2xx`
    private func lines(of change: RunComparison.ElementChange) -> String {
        var line = StyledText(colour: colour)
        line.append("  \(change.path)  ", .strong)
        if let value = change.failure.subject.value { line.append("\(value.string)  ", .faint) }
        let failed = "failed: \(change.failure.failure.message)"
        line.append(change.failsNow ? "passed → " : "\(failed) → ")
        line.append(change.failsNow ? failed : "passed", change.failsNow ? .bad : nil)
        return line.text + "\n"
    }

    private func lines(of change: RunComparison.FileChange) -> String {
        var line = StyledText(colour: colour)
        line.append("  file \(change.name)  ", .strong)
        let counts = [change.before, change.after].map { $0.map(TransferText.records) ?? "not written" }
        line.append(counts.joined(separator: " → "))
        return line.text + "\n"
    }

    private func lines(of change: RunComparison.OutputChange) -> String {
        var line = StyledText(colour: colour)
        line.append("  output \(change.name)  ", .strong)
        line.append("\(value(change.before)) → \(value(change.after))")
        return line.text + "\n"
    }

    private func value(_ value: JSON?) -> String {
        guard let value else { return "missing" }
        return PrintableText.start(of: PrintableText.oneLine(JSONWriter().string(value)), Self.valueColumns)
    }
}
