import WaybillDiagnostics
import WaybillJSON

/// The Test Anything Protocol, version 13: a test point for each step, with its failure as YAML, and one for each element
/// with a name. Nothing in it needs version 14, which `prove` of Debian 12 rejects.
///
/// A tolerated failure is a `TODO`, which readers do not count as a failure.
package enum TAPReport: RunReport {
    package static let name = "tap"

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        let steps = runs.flatMap(\.result.steps).filter(\.isCounted)
        stream.write("TAP version 13\n1..\(steps.reduce(0) { $0 + 1 + ($1.elements?.cases.count ?? 0) })\n")
        var number = 0
        for run in runs {
            let prefix = run.result.prefix(among: runs.count)
            if run.result.isMocked {
                stream.write("# \(PrintableText.oneLine(run.result.manifest)): on the mock server\n")
            }
            for step in run.result.steps where step.isCounted {
                number += 1
                stream.write(line(of: prefix + step.title, step.outcome, number))
                if step.hasFailed { stream.write(block(of: step)) }
                for element in step.elements?.cases ?? [] {
                    number += 1
                    let title = prefix + step.title(ofElement: element.index, element.name)
                    stream.write(line(of: title, element.outcome, number))
                }
            }
            for warning in ReportedWarnings(of: run).allLines {
                stream.write("# warning: \(PrintableText.oneLine(prefix))\(warning)\n")
            }
        }
        if let run = runs.first(where: { $0.wasInterrupted }) {
            stream.write("Bail out! The run of \(PrintableText.oneLine(run.result.manifest)) was interrupted\n")
        }
    }

    private static func line(of title: String, _ outcome: StepOutcome, _ number: Int) -> String {
        let directive =
            switch outcome {
            case .passed, .failed: ""
            case .tolerated: " # TODO a failure is tolerated"
            case .skipped: " # SKIP"
            case .cancelled: " # SKIP cancelled"
            }
        // A '#' would start a directive.
        let title = PrintableText.oneLine(title).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
        let hasFailed = outcome == .failed || outcome == .tolerated
        return "\(hasFailed ? "not ok" : "ok") \(number) - \(title)\(directive)\n"
    }

    /// Returns the failure as a YAML block. Its strings are JSON strings, which are valid YAML.
    private static func block(of step: StepResult) -> String {
        var members: [(String, JSON)] = []
        if let failure = step.failure {
            members.append(("message", .string(failure.message.description)))
            members.append(("kind", .string(failure.kind.rawValue)))
            if let location = failure.location { members.append(("at", .string(location.description))) }
            let details = failure.details.map { JSON.string($0.message.description) }
            if !details.isEmpty { members.append(("details", .array(details))) }
        }
        if let request = step.request { members.append(("request", .string(request))) }
        if let status = step.status { members.append(("status", .number(JSONNumber(status)))) }
        if step.attempts > 1, step.elements == nil { members.append(("attempts", .number(JSONNumber(step.attempts)))) }
        if let elements = step.elements {
            members.append(("elements", .string(elements.summary)))
            let failures = elements.failures.map { JSON.string($0.line) }
            if !failures.isEmpty { members.append(("failures", .array(failures))) }
        }
        let lines = members.map { "  \($0.0): \(PrintableText.oneLine(JSONWriter().string($0.1)))\n" }.joined()
        return "  ---\n\(lines)  ...\n"
    }
}
