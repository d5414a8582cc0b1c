import WaybillExpressions
import WaybillJSON

/// The reference of functions.
enum FunctionReference {
    static var markdown: String {
        var text = "# Functions of expressions\n\n"
        text += "`waybill eval --functions` lists them, and `waybill explain FUNCTION` prints one.\n\n"
        text += "In the examples, `$` is:\n\n"
        text += Markdown.block("json", JSONWriter(layout: .pretty).string(ExpressionFunction.Example.data))
        for family in ExpressionFunction.families {
            text += "\n## \(family.title)\n\n"
            text += Markdown.table(
                ["function", "result", "example"],
                family.functions.map { function in
                    [
                        Markdown.code(function.signature), Markdown.prose(function.summary),
                        "\(Markdown.code(function.example.call)) → \(Markdown.code(JSONWriter().string(function.example.result)))",
                    ]
                }
            )
        }
        return text
    }
}
