import ArgumentParser
import Waybill
import WaybillData
import WaybillDiagnostics
import WaybillPlan
import WaybillResults

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `waybill run`
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs the graphs of a manifest and writes results.",
        discussion: """
            The results go to waybill-results/<run id>: run.json (summary), outputs.json, and events.ndjson (the journal); \
            waybill-results/latest leads to the newest run.
            """
    )

    /// What goes to standard output.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// Lines for people.
        case human
        /// Each event as a JSON object.
        case ndjson
        /// The outputs alone, when the run has ended.
        case outputs
    }

    @OptionGroup var options: ManifestOptions

    @Option(name: .customLong("graph"), help: "A graph to run; may be repeated. Otherwise 'main', or the only one.")
    var graphs: [String] = []

    @OptionGroup var inputs: InputOptions

    @Option(help: "The folder for the results, instead of waybill-results/<run id>.", completion: .directory)
    var out: String?

    @Flag(help: "Answer every request from the manifest's 'mock' examples; nothing leaves this machine.")
    var mock = false

    @Option(help: "The greatest number of requests at once.")
    var concurrency: Int?

    @Option(help: "What goes to standard output: human, ndjson or outputs.")
    var format = Format.human

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print each request too.")
    var verbose = false

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if let concurrency, concurrency < 1 { throw ValidationError("--concurrency takes a number from 1.") }
    }

    func run() async throws {
        let output = Output(noColour: noColor)
        let (planOptions, findings) = planOptions
        guard !findings.hasErrors else {
            output.report(findings)
            throw ExitStatus.invalid
        }
        let stage = try Pipeline(allowsOutside: options.allowOutside).plan(options.manifest, options: planOptions)
        output.report(findings + stage.diagnostics)
        guard let plan = stage.value else { throw ExitStatus.invalid }

        let printer = RunPrinter(output, quiet: quiet, verbose: verbose)
        var runOptions = RunOptions()
        runOptions.outputFolder = out
        runOptions.usesMock = mock
        runOptions.variables = planOptions.variables
        switch format {
        case .human: runOptions.observers = [printer]
        case .ndjson: runOptions.observers = [EventPrinter(output)]
        case .outputs: break
        }

        let report = try await SessionRunner(RunSession(plan: plan, options: runOptions), output).run()
        switch format {
        case .human: printer.finish(report.result, folder: report.folder)
        case .outputs: output.write(JSONWriter(layout: .pretty).string(report.outputs) + "\n")
        case .ndjson: break
        }
        try SessionRunner.end(with: report)
    }

    private var planOptions: (PlanOptions, [Diagnostic]) {
        var (plan, diagnostics) = inputs.planOptions(environment: options.environment)
        plan.graphs = graphs
        plan.concurrency = concurrency
        return (plan, diagnostics)
    }
}
