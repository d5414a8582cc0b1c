import WaybillJSON
import WaybillPipeline
import WaybillResults
import WaybillRuntime

/// `show`
enum ShowTool: AgentTool {
    static let name = "show"
    static let description =
        "Returns the results of an earlier run: its steps with their outcomes and failures, and its outputs; or, with 'path', a part "
        + "of outputs that are too large for one result."
    static let arguments: JSON = [
        "run": ["type": "string", "description": "The name of the run, 'latest', or 'latest-passed'."],
        "steps": [
            "type": "array", "items": ["type": "string"],
            "description": "The ids or paths of the steps to return. Default: all.",
        ],
        "failed": ["type": "boolean", "description": "Whether to return only steps that failed."],
        "path": [
            "type": "string",
            "description":
                "A JSON Pointer to a value in the outputs, such as /main/orders/0. Only this value is returned, as 'part'.",
        ],
        "offset": [
            "type": "integer", "minimum": 0,
            "description": "How many elements, members or characters of the value at 'path' to leave out.",
        ],
    ]
    static let required = ["run"]
    static let output: JSON? = RunContent.schema("steps")

    /// The maximum size of a file of outputs in bytes.
    private static let maximumOutputs = 64 << 20

    static func result(of call: ToolCall, in folder: AgentFolder) throws(ToolFailure) -> ToolResult {
        let name = call.arguments["run"]?.string ?? ""
        let path = RunFolders.folder(of: name)
        try folder.check(path)
        if let suite = RunFolders.suite(of: name) {
            let members = suite.members.map { "'\($0.folder)'" }.joined(separator: ", ")
            throw ToolFailure("'\(name)' is a run of several manifests; show one of them: \(members)")
        }
        guard let entry = RunFolders.entry(of: path), let summary = entry.summary else {
            throw ToolFailure(RunFolders.missingRun(name).message)
        }
        let selection = ShownSteps(names: call.arguments["steps"]?.array?.compactMap(\.string) ?? [])
        if let unknown = selection.unknown(in: summary.steps) {
            throw ToolFailure([ShownSteps.error(for: unknown, in: summary.steps)])
        }
        let onlyFailed = call.arguments["failed"]?.bool ?? false
        let steps = summary.steps.filter { selection.contains($0) && (!onlyFailed || $0.failure != nil) }
        let outputs = try? FileContents.read("\(path)/\(RunFileNames.outputs)", limit: maximumOutputs)
        var content = RunContent(
            result: summary,
            folder: path,
            isMocked: (try? RunRecord(folder: path))?.isMocked ?? false,
            outputs: outputs.flatMap { try? JSONParser().parse($0) } ?? [:]
        )
        let part = call.arguments["path"]?.string
        let offset = call.arguments["offset"]?.number?.int ?? 0
        if let part {
            content.part = try OutputPart(part, of: folder.redactor.redact(content.outputs), after: offset)
        } else if offset > 0 {
            throw ToolFailure("'offset' has an effect only with 'path'")
        }
        let unfinished = entry.isRunning ? "running" : "unfinished"
        return ToolResult(
            content: content.json(
                "steps",
                part == nil ? steps : [],
                outcome: entry.result == nil ? unfinished : nil,
                warnings: ReportedRun(summary, in: path).warnings,
                folder.redactor
            )
        )
    }
}
