import WaybillDiagnostics

/// The warnings of a run, as its journal has them.
struct ReportedWarnings {
    /// The maximum number of warnings in a report; the others are only in the journal.
    private static let maximum = 100

    /// The first warnings in the order of the run, each on one line: `main.list: the message (shop.yaml:3:5)`.
    private(set) var lines: [String] = []
    /// The number of warnings that are not in `lines`.
    private(set) var omittedCount = 0

    /// Reads the warnings of a run; the reason, if its journal cannot be read.
    init(of run: ReportedRun) {
        do throws(ResultsError) {
            try run.events(with: "\"type\":\"warning\"") { event in
                guard case .warning(let message, let location) = event.kind else { return }
                guard lines.count < Self.maximum else { return omittedCount += 1 }
                let step = event.step.map { "\($0): " } ?? ""
                lines.append(PrintableText.oneLine("\(step)\(message)" + (location.map { " (\($0))" } ?? "")))
            }
        } catch {
            lines.append(PrintableText.oneLine(error.message))
        }
    }

    /// The warnings, and a last line with the number of those that are left out.
    var allLines: [String] { lines + (omittedCount > 0 ? ["\(omittedCount) more are in the journal"] : []) }
}
