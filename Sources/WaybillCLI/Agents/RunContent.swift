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
    /// What is returned instead of the outputs.
    var part: OutputPart?

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
                "part": [
                    "type": "object",
                    "properties": [
                        "value": [:],
                        "count": ["type": "integer", "description": "The number of elements, members or characters."],
                        "next": ["type": "integer", "description": "The offset of the rest, if there is more."],
                    ],
                    "required": ["value"],
                ],
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
                (part == nil ? redactor.redact(outputs).object ?? JSONObject() : JSONObject()).map { graph, values in
                    let (kept, missing) = Self.shortened(values, &budget)
                    if missing > 0 {
                        let message =
                            "\(missing) outputs of \(graph), or their ends: 'show' returns them in parts, by 'path'"
                        omitted.append(.string(message))
                    }
                    return (graph, kept)
                }
            )
        )
        content["part"] = part?.json
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

/// A part of the outputs of a run that fits in a result.
struct OutputPart {
    let json: JSON

    /// The maximum size of the part in bytes.
    private static let maximumBytes = AgentTools.maximumBytes - (4 << 10)

    /// Takes the elements, members or characters of the value at a path after some others; throws if that is not possible.
    init(_ path: String, of outputs: JSON, after offset: Int) throws(ToolFailure) {
        guard let pointer = JSONPointer(parsing: path), let value = pointer.resolve(in: outputs) else {
            throw ToolFailure("the run has no output at '\(path.excerpt(200))'; a path is, for example, /main/orders/0")
        }
        var budget = ResultBudget(Self.maximumBytes)
        let (part, taken, count): (JSON, Int, Int)
        var first = JSONPointer.Token.index(offset)
        switch value {
        case .array(let elements):
            let kept = budget.prefix(elements.dropFirst(offset))
            (part, taken, count) = (.array(kept), kept.count, elements.count)
        case .object(let members):
            let rest = members.dropFirst(offset)
            if let name = rest.first?.name { first = .name(name) }
            let kept = rest.prefix { budget.takes($0.value, $0.name) }
            (part, taken, count) = (.object(JSONObject(kept.map { ($0.name, $0.value) })), kept.count, members.count)
        case .string(let text):
            var left = Self.maximumBytes
            let kept = text.unicodeScalars.dropFirst(offset).prefix { scalar in
                left -= JSONWriter().string(.string(String(scalar))).utf8.count
                return left > 0
            }
            (part, taken, count) = (
                .string(String(String.UnicodeScalarView(kept))), kept.count, text.unicodeScalars.count
            )
        default: (part, taken, count) = (value, 1, 1)
        }
        guard offset < max(count, 1) else {
            throw ToolFailure("the value at '\(path.excerpt(200))' has only \(count) parts, so 'offset' is too large")
        }
        guard taken > 0 || count == 0 else {
            throw ToolFailure("the next part is too large for one result: use the path \(pointer.appending(first))")
        }
        var object = JSONObject([("value", part), ("count", .number(JSONNumber(count)))])
        if offset + taken < count { object["next"] = .number(JSONNumber(offset + taken)) }
        json = .object(object)
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
