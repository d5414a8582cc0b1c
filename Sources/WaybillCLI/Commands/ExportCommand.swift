import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlan

/// `waybill export`
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints the requests of a manifest as curl commands.",
        usage: "waybill export curl MANIFEST [ENDPOINT|STEP] [--graph NAME] [--input NAME=VALUE]…",
        discussion: """
            Each step is a command, after comments with its path and with the shell variables that it needs. Values that a \
            run computes, such as outputs of earlier steps, are shell variables, and so are inputs without a value, and \
            secrets: their values are never printed. Only the first request of 'forEach', 'paginate' and 'until' is printed. Nothing is sent.

            Exit status: 0 the commands were printed, 2 the manifest or its inputs are invalid, 64 wrong usage.
            """
    )

    /// What requests are written as.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case curl
    }

    @Argument(help: "What to write: curl.")
    var format: Format

    @OptionGroup var options: ManifestOptions

    @Argument(
        help: ArgumentHelp(
            "An endpoint, or the id or path of a step. Default: all steps.",
            valueName: "endpoint or step"
        ),
        completion: .names(.endpoint)
    )
    var name: String?

    @Option(
        name: .customLong("graph"),
        help: "A graph to export; may be repeated. Default: 'main', or the only graph.",
        completion: .names(.graph)
    )
    var graphs: [String] = []

    @OptionGroup var inputs: InputOptions

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() throws {
        let output = Output(noColour: noColor)
        var (planOptions, diagnostics) = try inputs.planOptions(output)
        planOptions.graphs = graphs
        // Those without a value are variables of the shell.
        planOptions.requiresInputs = false
        let checked = try options.checkedManifest(name.map(BoundOperations.named) ?? .called)
        var stage = checked.then { Pipeline.plan($0, planOptions) }
        var isChosen: (StepPlan) -> Bool = { _ in true }
        if let name {
            let steps = stage.value.map { RequestPreviews(of: $0).steps.map(\.plan) } ?? []
            if steps.contains(where: { $0.id == name || $0.path == name }) {
                isChosen = { $0.id == name || $0.path == name }
            } else {
                stage = checked.then { Pipeline.plan(calling: name, of: $0, planOptions) }.without("unused-definition")
            }
        }
        output.report(diagnostics + stage.diagnostics)
        guard let plan = stage.value else { throw ExitStatus.invalid }
        try output.writeResult(Array(Self.text(of: plan, isChosen).utf8), as: .verbatim)
    }

    /// Returns the curl commands of steps.
    static func text(of plan: Plan, _ isChosen: (StepPlan) -> Bool) -> String {
        var commands = CurlCommandText(RequestPreviews(of: plan), of: plan)
        return commands.text(of: isChosen)
    }
}
