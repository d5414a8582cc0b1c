import ArgumentParser
import WaybillDiagnostics
import WaybillJSON
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// `waybill call`
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Calls one endpoint of a manifest and prints the data of its response.",
        discussion: """
            Set the endpoint's inputs with --input and --inputs. An input that is not set takes the value of the \
            manifest's input or secret with the same name, or its own default. The data is printed to standard output: \
            a string as is, any other value as JSON. Results are written as by 'waybill run'.
            """
    )

    /// What goes to standard output.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// The data of the response, or how the call failed.
        case data
        /// Lines for people.
        case human
        /// Each event as a JSON object.
        case ndjson
        /// The outputs of the graph that makes the call.
        case outputs
    }

    @OptionGroup var options: ManifestOptions

    @Argument(help: "The endpoint to call.", completion: .names(.endpoint))
    var endpoint: String

    @OptionGroup var inputs: InputOptions

    @Option(help: "The folder for the results, instead of waybill-results/<run id>.", completion: .directory)
    var out: String?

    @Flag(help: "Respond to the request with the endpoint's 'mock' examples; nothing leaves this machine.")
    var mock = false

    @Option(help: "What goes to standard output: data, human, ndjson or outputs.")
    var format = Format.data

    @Flag(name: .shortAndLong, help: "Print the request too, with --format human.")
    var verbose = false

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() throws {
        let output = Output(noColour: noColor)
        let (planOptions, diagnostics) = try inputs.planOptions(output)
        // A definition may exist only for calls from the command line, so an unused one is not reported.
        let stage = try options.checkedManifest(.named(endpoint)).then {
            Pipeline.plan(calling: endpoint, of: $0, planOptions)
        }
        .without("unused-definition")
        output.report(diagnostics + stage.diagnostics)
        guard let plan = stage.value else { throw ExitStatus.invalid }

        let printsData = format == .data || format == .outputs
        let printer = RunPrinter(output, quiet: printsData, verbose: verbose, to: printsData ? .error : .output)
        var runOptions = RunOptions()
        runOptions.outputFolder = out
        runOptions.usesMock = mock
        runOptions.variables = planOptions.variables
        runOptions.exportTraces()
        runOptions.warn = { output.report([$0]) }
        runOptions.observers = format == .ndjson ? [EventPrinter(output)] : [printer]
        let report = try Pipeline.session(for: plan, runOptions).run(output)
        switch format {
        case .data where report.result.outcome == .passed:
            let (bytes, content) = Self.data(of: report)
            try output.writeResult(bytes, as: content)
        case .outputs: output.write(JSONWriter(layout: .pretty).string(report.outputs) + "\n", as: .json)
        case .data, .human, .ndjson: break
        }
        if format != .ndjson {
            printer.finish(report.result, folder: report.folder, namesResume: false, printsCoverage: false)
        }
        try report.throwStatus()
    }

    /// Returns the data of the response: a string as is, any other value as JSON, nothing for a response without
    /// content.
    private static func data(of report: RunSession.Report) -> ([UInt8], OutputContent) {
        let data = report.outputs["call"]?["data"] ?? .null
        if let text = data.string { return (Array(text.utf8), .data) }
        let step = report.result.steps.first
        // Responses that never have content (RFC 9110, sections 9.3.2, 15.3.5 and 15.3.6), and empty ones.
        let isEmpty = step?.method == "HEAD" || [204, 205].contains(step?.status) || step?.bytes?.received == 0
        return (data == .null && isEmpty ? [] : Array((JSONWriter(layout: .pretty).string(data) + "\n").utf8), .json)
    }
}
