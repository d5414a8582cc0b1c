import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillSchema

/// A tool that agents can call. Each is a file of this folder; `AgentTools` lists them.
protocol AgentTool: Sendable {
    /// The name.
    static var name: String { get }
    /// What the tool does, for agents.
    static var description: String { get }
    /// The schemas of the arguments, by name.
    static var arguments: JSON { get }
    /// The names of the arguments that a call must have.
    static var required: [String] { get }
    /// The schema of the result; `nil` if it is a text.
    static var output: JSON? { get }
    /// Returns the result of a call.
    static func result(of call: ToolCall, in folder: AgentFolder) throws(ToolFailure) -> ToolResult
}

extension AgentTool {
    static var required: [String] { [] }
    static var output: JSON? { nil }
}

/// A call of a tool.
struct ToolCall: Sendable {
    let arguments: JSONObject
    /// Steers the run, if the tool starts one.
    let control: RunControl
}

/// The result of a tool.
struct ToolResult {
    /// The result as the schema of the tool describes it, or a text.
    let content: JSON
    /// Whether the tool did not reach what it was called for.
    var hasFailed = false
}

/// The tools, and what the protocol needs of them.
enum AgentTools {
    static let all: [any AgentTool.Type] = [
        ManifestsTool.self, ValidateTool.self, PlanTool.self, ExplainTool.self, RunTool.self, ShowTool.self,
    ]

    /// The maximum size of the content of a result in bytes.
    static let maximumBytes = 32 << 10

    /// The schemas of arguments that several tools have.
    static let manifest: JSON = [
        "type": "string",
        "description": "The path of the manifest, relative to the folder of the server. Default: waybill.yaml.",
    ]
    static let environment: JSON = ["type": "string", "description": "The environment to apply to the manifest."]

    /// Returns the schemas of the arguments of a tool that plans a graph, and of others of its own.
    static func ofPlans(and others: JSON) -> JSON {
        let common: JSON = [
            "manifest": manifest, "environment": environment,
            "graph": ["type": "string", "description": "The graph. Default: 'main', or the only graph."],
            "inputs": [
                "type": "object",
                "description": "Values for the inputs of the graph, as list_manifests describes them.",
            ],
        ]
        return .object(JSONObject([common, others].flatMap { Array($0.object ?? JSONObject()) }))
    }

    /// Returns what `tools/list` has of a tool.
    static func description(of tool: any AgentTool.Type) -> JSON {
        var object = JSONObject()
        object["name"] = .string(tool.name)
        object["description"] = .string(tool.description)
        object["inputSchema"] = schema(of: tool)
        object["outputSchema"] = tool.output
        let isReadOnly = tool.name != RunTool.name
        object["annotations"] = ["readOnlyHint": .bool(isReadOnly), "openWorldHint": .bool(!isReadOnly)]
        return .object(object)
    }

    /// Returns the result of a call as the protocol has it, without secrets.
    static func result(of tool: any AgentTool.Type, _ call: ToolCall, in folder: AgentFolder) -> JSON {
        do throws(ToolFailure) {
            try check(call.arguments, of: tool)
            let result = try tool.result(of: call, in: folder)
            let content = folder.redactor.redact(result.content)
            var object = text(content.string ?? JSONWriter().string(content), hasFailed: result.hasFailed)
            if content.object != nil { object["structuredContent"] = content }
            return .object(object)
        } catch {
            return .object(text(folder.redactor.redact(error.message), hasFailed: true))
        }
    }

    private static func text(_ text: String, hasFailed: Bool) -> JSONObject {
        let isLong = text.utf8.count > maximumBytes
        let shown = isLong ? String(decoding: text.utf8.prefix(maximumBytes - 8), as: UTF8.self) + "…" : text
        let object: JSON = ["content": [["type": "text", "text": .string(shown)]], "isError": .bool(hasFailed)]
        return object.object ?? JSONObject()
    }

    /// Throws if arguments violate the schema of a tool.
    private static func check(_ arguments: JSONObject, of tool: any AgentTool.Type) throws(ToolFailure) {
        guard let schema = try? JSONSchema(compiling: schema(of: tool)),
            let violation = schema.validate(.object(arguments), limit: 1).first
        else { return }
        let location = violation.instanceLocation.tokens.isEmpty ? "" : " \(violation.instanceLocation)"
        throw ToolFailure("the arguments of '\(tool.name)' are invalid:\(location) \(violation.message)")
    }

    private static func schema(of tool: any AgentTool.Type) -> JSON {
        [
            "type": "object", "properties": tool.arguments, "required": .array(tool.required.map(JSON.string)),
            "additionalProperties": false,
        ]
    }
}
