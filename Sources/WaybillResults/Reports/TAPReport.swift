import WaybillDiagnostics
import WaybillJSON

/// The Test Anything Protocol, version 13: a test point for each step, with its failure as YAML. Elements with names have
/// test points of their own, instead of the step if they represent all of it. Nothing in it needs version 14, which `prove` of Debian 12 rejects.
///
/// A tolerated failure is a `TODO`, which readers do not count as a failure.
package enum TAPReport: RunReport {
    package static let name = "tap"

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        let points = runs.flatMap(\.result.steps).filter(\.isCounted).reduce(0) { count, step in
            count + (ownOutcome(of: step) == nil ? 0 : 1) + (step.elements?.cases.count ?? 0)
        }
        stream.write("TAP version 13\n1..\(points)\n")
        var number = 0
        for run in runs {
            let prefix = run.result.prefix(among: runs.count)
            if run.result.isMocked {
                stream.write("# \(PrintableText.oneLine(run.result.manifest)): on the mock server\n")
            }
            for step in run.result.steps where step.isCounted {
                if let outcome = ownOutcome(of: step) {
                    number += 1
                    stream.write(line(of: prefix + step.title, outcome, number))
                    if step.hasFailed { stream.write(block(of: step)) }
                }
                for element in step.elements?.cases ?? [] {
                    number += 1
                    let title = prefix + step.title(ofElement: element.index, element.name)
                    stream.write(line(of: title, element.outcome, number))
                    let failed = step.elements?.failures.first { $0.index == element.index }
                    if let failed { stream.write(block(Self.members(of: failed.failure, failed.url?.string))) }
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

    private static func ownOutcome(of step: StepResult) -> StepOutcome? {
        step.outcome(without: Set(step.elements?.cases.map(\.index) ?? []))
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

    private static func members(of failure: Failure, _ request: String?) -> [(String, JSON)] {
        var members: [(String, JSON)] = [
            ("message", .string(failure.message.description)), ("kind", .string(failure.kind.rawValue)),
        ]
        if let location = failure.location { members.append(("at", .string(location.description))) }
        let messages = failure.details.map(\.message.description).filter { $0 != failure.message.description }
        let details = messages.map { JSON.string($0) }
        if !details.isEmpty { members.append(("details", .array(details))) }
        if let request { members.append(("request", .string(request))) }
        return members
    }

    private static func block(of step: StepResult) -> String {
        var members = step.failure.map { Self.members(of: $0, step.request) } ?? []
        if let status = step.status { members.append(("status", .number(JSONNumber(status)))) }
        members += step.repetitions.map { ($0.noun, .number(JSONNumber($0.count))) }
        if let elements = step.elements {
            members.append(("elements", .string(elements.summary)))
            let failures = elements.failures.map { JSON.string($0.line) }
            if !failures.isEmpty { members.append(("failures", .array(failures))) }
        }
        return block(members)
    }

    /// Returns a YAML block. Its strings are JSON strings, which are valid YAML.
    private static func block(_ members: [(String, JSON)]) -> String {
        let lines = members.map { "  \($0.0): \(PrintableText.oneLine(JSONWriter().string($0.1)))\n" }.joined()
        return "  ---\n\(lines)  ...\n"
    }
}
