import WaybillDiagnostics
import WaybillJSON

/// The Test Anything Protocol, version 13: a test point for each step, with its failure as YAML. Elements with names have
/// test points of their own, instead of the step if they represent all of it. Nothing in it needs version 14, which `prove`
/// of Debian 12 rejects.
///
/// A tolerated failure is a `TODO`, which readers do not count as a failure.
package enum TAPReport: RunReport {
    package static let name = "tap"

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) {
        let points = runs.map { $0.result.steps.filter(\.isCounted).flatMap(Self.points) }
        stream.write("TAP version 13\n1..\(points.reduce(0) { $0 + $1.count })\n")
        var number = 0
        for (run, points) in zip(runs, points) {
            let prefix = run.result.prefix(among: runs.count)
            if run.result.isMocked {
                stream.write("# \(PrintableText.oneLine(run.result.manifest)): on the mock server\n")
            }
            for point in points {
                number += 1
                stream.write(line(of: prefix + point.title, point.outcome, number) + block(point.members))
            }
            for warning in ReportedWarnings(of: run).allLines {
                stream.write("# warning: \(PrintableText.oneLine(prefix))\(warning)\n")
            }
        }
        if let run = runs.first(where: { $0.wasInterrupted }) {
            stream.write("Bail out! The run of \(PrintableText.oneLine(run.result.manifest)) was interrupted\n")
        }
    }

    /// A test point, with what is known of its failure.
    private typealias Point = (title: String, outcome: StepOutcome, members: [(String, JSON)])

    /// Returns the test points of a step and of its elements with names.
    private static func points(of step: StepResult) -> [Point] {
        let elements = step.elements
        let failures = Dictionary((elements?.failures ?? []).map { ($0.index, $0) }) { first, _ in first }
        let own = step.ownOutcome().map { outcome in
            // What failed are elements with test points of their own, if others were not started.
            let members = step.hasFailed ? members(of: step).filter { outcome != .skipped || $0.0 == "elements" } : []
            return [(step.title, outcome, members)]
        }
        return (own ?? [])
            + (elements?.cases ?? []).map { element in
                let members = failures[element.index].map { Self.members(of: $0.failure, $0.url?.string) } ?? []
                return (step.title(ofElement: element.index, element.name), element.outcome, members)
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

    private static func members(of step: StepResult) -> [(String, JSON)] {
        var members = step.failure.map { Self.members(of: $0, step.request) } ?? []
        if let status = step.status { members.append(("status", .number(JSONNumber(status)))) }
        members += step.repetitions.map { ($0.noun, .number(JSONNumber($0.count))) }
        if let elements = step.elements {
            members.append(("elements", .string(elements.summary)))
            let failures = elements.failures.map { JSON.string($0.line) }
            if !failures.isEmpty { members.append(("failures", .array(failures))) }
        }
        return members
    }

    /// Returns a YAML block; empty without members. Its strings are JSON strings, which are valid YAML.
    private static func block(_ members: [(String, JSON)]) -> String {
        if members.isEmpty { return "" }
        let lines = members.map { "  \($0.0): \(PrintableText.oneLine(JSONWriter().string($0.1)))\n" }.joined()
        return "  ---\n\(lines)  ...\n"
    }
}
