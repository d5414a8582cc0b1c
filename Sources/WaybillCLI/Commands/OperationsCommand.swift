import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting

/// `waybill operations`
struct OperationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations",
        abstract: "Lists the operations of the OpenAPI documents that services name.",
        discussion: """
            Each operation is listed with its name for 'call', its method, path and summary, and its inputs: where they are \
            sent, their types, and whether they are required.

            Calls in the manifest may be wrong: 'waybill validate' checks them.

            Exit status: 0 the operations were listed, 1 there is none, 2 the manifest is invalid, 64 wrong usage.
            """
    )

    @OptionGroup var options: ManifestOptions

    @Argument(help: "Only operations with this word in their name, method, path or summary.")
    var word: String?

    @Option(help: "The format of the list: text or json.")
    var format = ListFormat.text

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() throws {
        let output = Output(noColour: noColor)
        let pipeline = Pipeline(allowsOutside: options.allowOutside)
        let (checked, diagnostics) = pipeline.contracts(
            pipeline.load(options.manifest),
            environment: options.environment
        )
        output.report(diagnostics)
        guard let checked, !diagnostics.hasErrors else { throw ExitStatus.invalid }
        let list = OperationList(of: checked, matching: word)
        output.report(list.diagnostics)
        let document = format == .json ? list.jsonDocument : list.text
        try output.writeResult(Array(document.utf8), as: format == .json ? .json : .text)
        if list.isEmpty {
            output.writeError("no operation was found\n")
            throw ExitCode(1)
        }
    }
}
