import WaybillJSON

/// `explain`
enum ExplainTool: AgentTool {
    static let name = "explain"
    static let description =
        "Explains a diagnostic by its id, with a wrong and a right example, a key of manifests, or a function of expressions."
    static let arguments: JSON = [
        "topic": [
            "type": "string",
            "description": "The id of a diagnostic, a key such as 'retry', or a function such as 'join'.",
        ]
    ]
    static let required = ["topic"]

    static func result(of call: ToolCall, in folder: AgentFolder) throws(ToolFailure) -> ToolResult {
        let topic = call.arguments["topic"]?.string ?? ""
        guard let text = ExplanationPrinter(colour: false).text(about: topic) else {
            throw ToolFailure(ExplanationPrinter.unknown(topic))
        }
        return ToolResult(content: .string(text))
    }
}
