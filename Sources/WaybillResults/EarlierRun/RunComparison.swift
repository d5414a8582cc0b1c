package import WaybillJSON
import WaybillRuntime

/// The differences between two runs of a manifest.
package struct RunComparison: Sendable, Equatable {
    /// The difference between two results of a step.
    package enum StepChange: Sendable, Equatable {
        /// The earlier run does not have the step.
        case added(StepResult)
        /// The later run does not have the step.
        case removed(StepResult)
        /// The outcome, the status, the counts of elements or the message of the failure differ.
        case outcome(StepResult, StepResult)
        /// The outcome is the same, but the duration differs.
        case time(StepResult, StepResult)
    }

    /// An output of a graph with a changed value. A missing value is `nil`.
    package struct OutputChange: Sendable, Equatable {
        /// The graph and the name of the output, such as `main.count`.
        package var name: String
        /// The value in the earlier run.
        package var before: JSON?
        /// The value in the later run.
        package var after: JSON?
    }

    /// The steps that differ, in the order of the later run. Steps that the later run does not have come last.
    package let steps: [StepChange]
    /// The outputs that differ, by name.
    package let outputs: [OutputChange]

    /// Compares a run with an earlier one. `outputs` is the content of `outputs.json` of each.
    package init(
        of run: RunResult,
        outputs: JSON,
        against earlier: RunResult,
        outputs earlierOutputs: JSON
    ) {
        let before = Dictionary(earlier.steps.map { ($0.path, $0) }) { first, _ in first }
        let paths = Set(run.steps.map(\.path))
        steps =
            run.steps.compactMap { step in
                guard let old = before[step.path] else { return .added(step) }
                if old.result != step.result { return .outcome(old, step) }
                return Self.differ(old.time?.total, step.time?.total) ? .time(old, step) : nil
            } + earlier.steps.filter { !paths.contains($0.path) }.map { .removed($0) }
        let (old, new) = (Self.named(earlierOutputs), Self.named(outputs))
        self.outputs = Set(old.keys).union(new.keys).sorted().compactMap { name in
            old[name] == new[name] ? nil : OutputChange(name: name, before: old[name], after: new[name])
        }
    }

    /// Returns the outputs in the folder of a run; an empty object if there are none.
    package static func outputs(in folder: String) -> JSON {
        let bytes = try? FileContents.read("\(folder)/\(RunFileNames.outputs)", limit: 256 << 20)
        return bytes.flatMap { try? JSONParser().parse($0) } ?? .object(JSONObject())
    }

    /// Whether two durations differ by more than half of the shorter one, and by more than 100 ms, because a busy machine
    /// explains smaller differences.
    private static func differ(_ first: Duration?, _ second: Duration?) -> Bool {
        guard let first, let second else { return false }
        let (shorter, longer) = (min(first, second), max(first, second))
        return longer - shorter > .milliseconds(100) && longer > shorter * 1.5
    }

    private static func named(_ outputs: JSON) -> [String: JSON] {
        var named: [String: JSON] = [:]
        for (graph, values) in outputs.object ?? JSONObject() {
            for (name, value) in values.object ?? JSONObject() { named["\(graph).\(name)"] = value }
        }
        return named
    }
}

extension StepResult {
    /// The properties of a step that are compared, apart from its times.
    fileprivate var result: [String?] {
        [outcome.rawValue, status.map(String.init), failure?.message.string, elements?.counts.summary]
    }
}
