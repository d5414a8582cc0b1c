import WaybillExpressions
import WaybillJSON

/// The reference of functions.
enum FunctionReference {
    static var markdown: String {
        var text = "# Functions of expressions\n\n"
        text += "`waybill eval --functions` lists them, and `waybill explain FUNCTION` prints one.\n\n"
        text += "In the examples, `$` is:\n\n"
        text += Markdown.block("json", JSONWriter(layout: .pretty).string(FunctionExplanation.data))
        for family in FunctionExplanation.families {
            text += "\n## \(family.title)\n\n"
            text += Markdown.table(
                ["function", "result", "example"],
                family.functions.map { explanation in
                    [
                        Markdown.code(explanation.function.signature), Markdown.prose(explanation.summary),
                        "\(Markdown.code(explanation.call)) → \(Markdown.code(JSONWriter().string(explanation.result)))",
                    ]
                }
            )
        }
        return text
    }
}
