import WaybillDiagnostics
import WaybillExplanations
import WaybillJSON
import WaybillPipeline
import WaybillResults

/// `validate`
enum ValidateTool: AgentTool {
    static let name = "validate"
    static let description =
        "Checks a manifest without sending anything. Each diagnostic has an id, which 'explain' explains, a location and help."
    static let arguments: JSON = [
        "manifest": AgentTools.manifest, "environment": AgentTools.environment,
    ]
    static let output: JSON? = [
        "type": "object",
        "properties": [
            "valid": ["type": "boolean"], "errors": ["type": "integer"], "warnings": ["type": "integer"],
            "diagnostics": ["type": "array", "items": ["type": "object"]],
            "omitted": ["type": "integer", "description": "The number of diagnostics that are not listed."],
        ],
        "required": ["valid", "errors", "warnings", "diagnostics", "omitted"],
    ]

    static func result(of call: ToolCall, in folder: AgentFolder) throws(ToolFailure) -> ToolResult {
        let stage = try folder.manifest(of: call)
        let diagnostics = stage.diagnostics.withoutRepetitions().limitingRepeats().map(\.forAgents)
        var document = folder.redactor.redact(JSONDiagnosticRenderer.json(for: diagnostics)).object ?? JSONObject()
        let all = document["diagnostics"]?.array ?? []
        var budget = ResultBudget(AgentTools.maximumBytes - 1024)
        let listed = budget.prefix(all)
        document["diagnostics"] = .array(listed)
        document["omitted"] = .number(JSONNumber(all.count - listed.count))
        document["valid"] = .bool(stage.value != nil)
        return ToolResult(content: .object(document))
    }
}
