import WaybillJSON
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting

/// `plan`
enum PlanTool: AgentTool {
    static let name = "plan"
    static let description =
        "Shows what a run of a graph would do, without sending anything; or, with 'endpoint', where each header, parameter and "
        + "setting of an endpoint comes from."
    static let arguments = AgentTools.ofPlans(and: [
        "endpoint": ["type": "string", "description": "The name of an endpoint or operation, to explain it instead."]
    ])

    static func result(of call: ToolCall, in folder: AgentFolder) throws(ToolFailure) -> ToolResult {
        let options = folder.planOptions(of: call)
        let text: Pipeline.Stage<String>
        if let endpoint = call.arguments["endpoint"]?.string {
            text = try folder.manifest(of: call, .named(endpoint)).then { checked in
                Pipeline.explain(endpoint, of: checked, options).map { $0.text() }
            }
        } else {
            text = try folder.manifest(of: call).then { checked in
                Pipeline.plan(checked, options).map { PlanDescription($0, of: checked, options: options).text() }
            }
        }
        guard let value = text.value else { throw ToolFailure(text.diagnostics) }
        let warnings = text.diagnostics.isEmpty ? "" : "\n" + ToolFailure(text.diagnostics).message
        return ToolResult(content: .string(value + warnings))
    }
}
