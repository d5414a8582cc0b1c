import WaybillJSON
import WaybillResults

/// What agents receive of a run.
struct RunContent {
    let result: RunResult
    /// The folder of the run.
    let folder: String
    let isMocked: Bool
    /// The outputs, by graph.
    let outputs: JSON

    /// The maximum number of characters of the start of an output that is too large, and of the text of a failure.
    private static let excerpt = 1_000
    private static let maximumFailure = 6_000

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
                    "type": "array", "description": "What was left out or shortened, because it is too large.",
                ],
            ],
            "required": ["run", "manifest", "outcome", "mocked", "outputs", .string(list), "warnings", "omitted"],
        ]
    }

    /// Returns the content.
    ///
    /// - Parameters:
    ///   - list: The name of the list of steps.
    ///   - steps: The steps in the list, as in `run.json`, with the text of their failures.
    ///   - outcome: How the run has finished, or that it has not.
    func json(_ list: String, _ steps: [StepResult], outcome: String? = nil, warnings: [String], _ redactor: Redactor)
        -> JSON
    {
        var omitted: [JSON] = []
        var content = JSONObject()
        content["run"] = .string(folder.split(separator: "/").last.map(String.init) ?? result.id.description)
        content["manifest"] = .string(result.manifest)
        content["outcome"] = .string(outcome ?? result.outcome.rawValue)
        content["mocked"] = .bool(isMocked)
        var counts = result.counts.json.object ?? JSONObject()
        // Steps that have not ended are recorded as if they were cancelled.
        if let outcome { counts[outcome] = counts.removeValue(named: "cancelled") }
        content["counts"] = .object(counts)
        // Half of the content, so that failures have the rest.
        var budget = ResultBudget(AgentTools.maximumBytes / 2)
        content["outputs"] = .object(
            JSONObject(
                (redactor.redact(outputs).object ?? JSONObject()).map { graph, values in
                    let (kept, missing) = Self.shortened(values, &budget)
                    if missing > 0 { omitted.append(.string("\(missing) outputs of \(graph), or their ends")) }
                    return (graph, kept)
                }
            )
        )
        budget = ResultBudget(AgentTools.maximumBytes - 1024)
        _ = budget.takes(.object(content))
        content["warnings"] = .array(budget.prefix(warnings.map { .string(redactor.redact($0)) }))
        let printer = FailureText(colour: false, bodies: KeptBodies(folder: folder))
        let shown = budget.prefix(
            steps.lazy.map { step in
                var object = step.json.object ?? JSONObject()
                if let outcome, step.outcome == .cancelled { object["outcome"] = .string(outcome) }
                if step.failure != nil { object["text"] = .string(printer.text(of: step).excerpt(Self.maximumFailure)) }
                return redactor.redact(.object(object))
            }
        )
        content[list] = .array(shown)
        if shown.count < steps.count { omitted.append(.string("\(steps.count - shown.count) of \(list)")) }
        content["omitted"] = .array(omitted)
        return .object(content)
    }

    /// Returns the outputs of a graph, and how many are not whole: of those that are too large, the start of their JSON.
    private static func shortened(_ values: JSON, _ budget: inout ResultBudget) -> (kept: JSON, missing: Int) {
        var kept = JSONObject()
        var missing = 0
        for (name, value) in values.object ?? JSONObject() {
            if budget.takes(value, name) {
                kept[name] = value
            } else {
                missing += 1
                let start = JSON.string(JSONWriter().excerpt(of: value, excerpt))
                if budget.takes(start, name) { kept[name] = start }
            }
        }
        return (.object(kept), missing)
    }
}

/// How many bytes of a result are left.
struct ResultBudget {
    private var left: Int

    init(_ maximum: Int) { left = maximum }

    /// Whether a value can be added.
    mutating func takes(_ value: JSON, _ name: String = "") -> Bool {
        guard left > 0, let size = JSONWriter(maximumBytes: left).wholeText(value)?.count else { return false }
        let needed = size + name.utf8.count + 8
        guard needed <= left else { return false }
        left -= needed
        return true
    }

    /// Returns the first elements that can be added.
    mutating func prefix(_ values: some Sequence<JSON>) -> [JSON] {
        var taken: [JSON] = []
        for value in values {
            guard takes(value) else { break }
            taken.append(value)
        }
        return taken
    }
}
