import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillPlan
import WaybillResults

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `waybill run`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs the graphs of a manifest and writes results.",
        discussion: """
            The results go to waybill-results/<run id>: run.json (summary), outputs.json, and events.ndjson (the journal); \
            waybill-results/latest leads to the newest run.
            """
    )

    @OptionGroup var options: ManifestOptions

    @Option(name: .customLong("graph"), help: "A graph to run; may be repeated. Otherwise 'main', or the only one.")
    var graphs: [String] = []

    @OptionGroup var inputs: InputOptions

    @Option(help: "The folder for the results, instead of waybill-results/<run id>.", completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp(
            "The file of the state that the run starts from and stores, instead of waybill-results/state/MANIFEST.json.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var state: String?

    @Flag(help: "Answer every request from the manifest's 'mock' examples; nothing leaves this machine.")
    var mock = false

    @Option(help: "The greatest number of requests at once.")
    var concurrency: Int?

    @OptionGroup var printing: RunPrintingOptions

    @OptionGroup var reports: ReportOptions

    func validate() throws {
        if let concurrency, concurrency < 1 { throw ValidationError("--concurrency takes a number from 1.") }
    }

    func run() throws {
        let output = Output(noColour: printing.noColor)
        let (planOptions, findings) = planOptions
        guard !findings.hasErrors else {
            output.report(findings)
            throw ExitStatus.invalid
        }
        let stage = try options.checkedManifest().then { Pipeline.plan($0, planOptions) }
        output.report(findings + stage.diagnostics)
        guard let plan = stage.value else { throw ExitStatus.invalid }

        var runOptions = RunOptions()
        runOptions.outputFolder = out
        runOptions.stateFile = state
        runOptions.usesMock = mock
        runOptions.variables = planOptions.variables
        try printing.run(plan, runOptions, reports, output)
    }

    private var planOptions: (PlanOptions, [Diagnostic]) {
        var (plan, diagnostics) = inputs.planOptions()
        plan.graphs = graphs
        plan.concurrency = concurrency
        return (plan, diagnostics)
    }
}
