import ArgumentParser
import WaybillDiagnostics
import WaybillExplanations
import WaybillPipeline

/// `waybill explain`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a diagnostic, with a wrong and a right example, a manifest key, or a function of"
            + " expressions. Without an argument, lists all diagnostics."
    )

    @Argument(
        help: ArgumentHelp(
            "The id in brackets after 'error' or 'warning', such as unknown-endpoint; a key, such as retry; or a"
                + " function, such as join.",
            valueName: "id|key|function"
        ),
        // Not '.list': the generated scripts name a variable after 'valueName', and expand names such as '$defs'.
        completion: .candidates { Candidates.matching($0.prefix, in: ExplanationPrinter.names) }
    )
    var id: String?

    @Option(
        help: "Print a page of the reference in docs/reference as Markdown: keys, functions, events or diagnostics."
    )
    var reference: ReferencePage?

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if reference != nil, id != nil { throw ValidationError("--reference takes no argument.") }
        guard let id, ExplanationPrinter(colour: false).text(about: id) == nil else { return }
        throw ValidationError(ExplanationPrinter.unknown(id))
    }

    func run() throws {
        let output = Output(noColour: noColor)
        if let reference { return try output.writeResult(Array(reference.markdown.utf8), as: .verbatim) }
        let printer = ExplanationPrinter(colour: output.coloursOutput)
        let text = id.flatMap(printer.text) ?? printer.table(Explanation.all.map { ($0.id.name, $0.title) })
        try output.writeResult(Array(text.utf8), as: .verbatim)
    }
}

extension ReferencePage: ExpressibleByArgument {}
