import WaybillDiagnostics
import WaybillJSON
import WaybillPipeline
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
            of: RunComparison.Side(result, outputs: RunFolder.outputs(in: folder) ?? [:], folder: folder),
            against: RunComparison.Side(before, outputs: RunFolder.outputs(in: earlier) ?? [:], folder: earlier)
        )
        let times = "\(before.time.timeText) → \(result.time.timeText)"
        var text = "\(name)  \(before.id) → \(result.id)\n"
        text += "  \(before.outcome.rawValue) (\(before.counts.summary)) → "
        text += "\(result.outcome.rawValue) (\(result.counts.summary)), \(times)\n"
        text += comparison.steps.map(line).joined() + comparison.elements.map(line).joined()
        text += comparison.files.map { line(of: $0) }.joined() + comparison.outputChanges.map { line(of: $0) }.joined()
        if comparison.isEmpty {
            text += "  no outcome, file or output of a graph differs; outputs of steps are not compared\n"
        }
        for what in comparison.uncompared { text += "  not compared: \(PrintableText.oneLine(what))\n" }
        return text
    }

    private func line(of change: RunComparison.StepChange) -> String {
        switch change {
        case .added(let step): return line(("  + \(step.path)  ", .good), (words(for: step), nil))
        case .removed(let step): return line(("  - \(step.path)  ", .bad), (words(for: step), nil))
        case .outcome(let before, let after):
            let style: TerminalStyle? = after.outcome == .failed ? .bad : nil
            let earlier = "\(words(for: before)) → "
            return line(("  \(after.path)  ", .strong), (earlier, nil), (words(for: after), style))
        case .time(let before, let after):
            let times = [before, after].map { $0.time.map { $0.total.timeText } ?? "" }
            return line(("  \(after.path)  ", .strong), (times.joined(separator: " → "), nil))
        }
    }

    private func line(_ pieces: (String, TerminalStyle?)...) -> String {
        var line = StyledText(colour: colour)
        for (piece, style) in pieces { line.append(piece, style) }
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
    private func line(of change: RunComparison.ElementChange) -> String {
        let value = change.failure.subject.value.map { "\($0.string)  " } ?? ""
        let failed = "failed: \(change.failure.failure.message)"
        let (before, after) = change.failsNow ? ("passed", failed) : (failed, "passed")
        let style: TerminalStyle? = change.failsNow ? .bad : nil
        return line(("  \(change.path)  ", .strong), (value, .faint), ("\(before) → ", nil), (after, style))
    }

    private func line(of change: RunComparison.Change<RunComparison.FileContent>) -> String {
        let sizes = [change.before, change.after].map { content in
            content.map { $0.records.map(TransferText.records) ?? TransferText.size($0.bytes ?? 0) } ?? "not written"
        }
        let words = sizes[0] == sizes[1] ? "\(sizes[0]), other content" : sizes.joined(separator: " → ")
        return line(("  file \(change.name)  ", .strong), (words, nil))
    }

    private func line(of change: RunComparison.Change<JSON>) -> String {
        line(("  output \(change.name)  ", .strong), ("\(value(change.before)) → \(value(change.after))", nil))
    }

    private func value(_ value: JSON?) -> String {
        guard let value else { return "missing" }
        return PrintableText.start(of: PrintableText.oneLine(JSONWriter().string(value)), Self.valueColumns)
    }
}
