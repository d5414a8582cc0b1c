import WaybillDiagnostics
import WaybillPipeline
import WaybillResults

/// The counts of the runs of a suite: `2 manifests: 1 failed, 1 passed`.
struct SuiteSummary {
    /// The number of runs that passed.
    var passed = 0
    /// The number of runs that did not pass, or could not be started.
    var failed = 0
    /// The number of runs that have not finished.
    var unfinished = 0
    /// The number of runs that were not started.
    var omitted = 0

    /// The counts by outcome: `1 failed, 1 passed`.
    var counts: String {
        let parts = [(failed, "failed"), (passed, "passed"), (unfinished, "unfinished"), (omitted, "not run")]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    /// The counts after the number of manifests.
    var text: String {
        let count = passed + failed + unfinished + omitted
        return "\(count == 1 ? "1 manifest" : "\(count) manifests"): \(counts)"
    }
}

extension SuiteSummary {
    /// Counts the runs in the folders of a suite.
    init(of suite: SuiteFolder) {
        for member in suite.members {
            switch RunFolders.entry(of: member.folder)?.result?.outcome {
            case .passed: passed += 1
            case .failed, .interrupted: failed += 1
            case nil where RunFolders.missingResult(of: member.folder) != nil: unfinished += 1
            case nil: omitted += 1
            }
        }
    }
}

extension RunResult {
    /// The maximum number of failed steps of a run that the summary of a suite names.
    private static let namedSteps = 20

    /// The lines of a run that did not pass, for the summary of a suite: its counts, and each failed step with its first
    /// message.
    func summaryLines(_ manifest: String) -> String {
        let failed = steps.filter { $0.isCounted && $0.outcome == .failed }
        var lines = ["  ✗ \(manifest): \(counts.summary)"]
        lines += failed.prefix(Self.namedSteps).map { step in
            "    \(step.path): \(step.failure?.message.description ?? "failed")"
        }
        if failed.count > Self.namedSteps { lines.append("    … and \(failed.count - Self.namedSteps) more") }
        return lines.map { PrintableText.oneLine($0) + "\n" }.joined()
    }
}
