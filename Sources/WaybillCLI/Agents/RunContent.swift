import WaybillDiagnostics
import WaybillJSON
import WaybillResults

/// What agents receive of a run, at most 32 KiB of JSON.
struct RunContent {
    /// The maximum size of the outputs in bytes, half of the whole, and of one that is shortened.
    private static let maximumOutputs = AgentTools.maximumBytes / 2
    private static let excerpt = 1_000
    /// The maximum number of bytes of the text of a failure.
    private static let maximumFailure = 6_000

    private let result: RunResult
    private let folder: String
    private let isMocked: Bool
    /// How the run has finished, or that it has not.
    var outcome: String
    /// The outputs, by graph.
    var outputs: JSON = [:]
    /// Warnings for people.
    var warnings: [String] = []

    /// - Parameter folder: The folder of the run.
    init(_ result: RunResult, in folder: String, isMocked: Bool) {
        (self.result, self.folder, self.isMocked) = (result, folder, isMocked)
        outcome = result.outcome.rawValue
    }

    /// Returns the schema of the content.
    ///
    /// - Parameter list: The name of the list of steps.
    static func schema(_ list: String) -> JSON {
        [
            "type": "object",
            "properties": [
                "run": ["type": "string", "description": "The name of the run, for 'show'."],
                "manifest": ["type": "string"],
                "outcome": ["type": "string", "description": "passed, failed, interrupted, running or unfinished."],
                "mocked": ["type": "boolean", "description": "Whether the mock server responded."],
                "counts": ["type": "object", "description": "The number of steps by outcome."],
                "outputs": ["type": "object", "description": "The outputs, by graph."],
                list: ["type": "array", "items": ["type": "object"]],
                "warnings": ["type": "array", "items": ["type": "string"]],
                "omitted": [
                    "type": "array", "items": ["type": "string"],
                    "description": "What was left out or shortened, because the result would be too large.",
                ],
            ],
            "required": ["run", "manifest", "outcome", "mocked", "counts", "outputs", .string(list), "omitted"],
        ]
    }

    /// Returns the content.
    ///
    /// - Parameters:
    ///   - list: The name of the list of steps.
    ///   - steps: The steps in the list.
    func json(_ list: String, _ steps: [StepResult], _ redactor: Redactor) -> JSON {
        var omitted: [JSON] = []
        var content = JSONObject()
        content["run"] = .string(folder.split(separator: "/").last.map(String.init) ?? result.id.description)
        content["manifest"] = .string(result.manifest)
        content["outcome"] = .string(outcome)
        content["mocked"] = .bool(isMocked)
        content["counts"] = .object(
            JSONObject(StepOutcome.allCases.map { ($0.rawValue, .number(JSONNumber(result.counts[$0]))) })
        )
        content["outputs"] = shortened(redactor.redact(outputs), &omitted)
        var budget = ResultBudget()
        _ = budget.takes(.object(content))
        let shownWarnings = budget.prefix(warnings.map { .string(redactor.redact($0)) })
        if !warnings.isEmpty { content["warnings"] = .array(shownWarnings) }
        let printer = FailureText(colour: false, bodies: KeptBodies(folder: folder))
        let shown = budget.prefix(steps.lazy.map { step(of: $0, printer, redactor) })
        content[list] = .array(shown)
        if shown.count < steps.count { omitted.append(.string("\(steps.count - shown.count) of \(list)")) }
        content["omitted"] = .array(omitted)
        return .object(content)
    }

    private func step(of step: StepResult, _ printer: FailureText, _ redactor: Redactor) -> JSON {
        var object = JSONObject()
        object["step"] = .string(step.path)
        object["outcome"] = .string(step.outcome.rawValue)
        object["method"] = step.method.map(JSON.string)
        object["url"] = step.url.map { .string($0.string.excerpt(500)) }
        object["status"] = step.status.map { .number(JSONNumber($0)) }
        if step.attempts > 1 { object["attempts"] = .number(JSONNumber(step.attempts)) }
        if let failure = step.failure {
            object["kind"] = .string(failure.kind.rawValue)
            let text = redactor.redact(printer.text(of: step))
            object["failure"] = .string(text.excerpt(Self.maximumFailure))
        }
        return redactor.redact(.object(object))
    }

    /// Returns the outputs of graphs; those that are too large are the start of their JSON.
    private func shortened(_ outputs: JSON, _ omitted: inout [JSON]) -> JSON {
        var left = Self.maximumOutputs
        return .object(
            (outputs.object ?? JSONObject()).mapValues { graph in
                guard let values = graph.object else { return graph }
                var kept = JSONObject()
                var dropped = 0
                for (name, value) in values {
                    let size = JSONWriter(maximumBytes: left).wholeText(value)?.count
                    let shown = size == nil ? JSON.string(JSONWriter().excerpt(of: value, Self.excerpt)) : value
                    let cost = name.utf8.count + (size ?? 4 * Self.excerpt)
                    guard cost < left else {
                        dropped += 1
                        continue
                    }
                    left -= cost
                    kept[name] = shown
                    if size == nil { omitted.append(.string("the end of the output '\(name.excerpt(100))'")) }
                }
                if dropped > 0 { omitted.append(.string("\(dropped) outputs")) }
                return .object(kept)
            }
        )
    }
}
