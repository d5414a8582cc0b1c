import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting

/// `waybill plan`
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Prints what a run would do, without sending anything.",
        discussion: """
            Values are shown as written in the manifest, including ${…}; secrets are shown by name only. Formats: text \
            (a tree of steps), json (see 'waybill schema print plan'), mermaid (a flowchart for Markdown), dot (for \
            Graphviz), curl (the commands of 'waybill export curl').

            Exit status: 0 the plan was printed, 2 the manifest or its inputs are invalid, 64 wrong usage.
            """
    )

    /// The format of the plan.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// A tree for people.
        case text
        /// One JSON document.
        case json
        /// A Mermaid flowchart.
        case mermaid
        /// A directed graph for Graphviz.
        case dot
        /// A curl command for each step.
        case curl
    }

    @OptionGroup var options: ManifestOptions

    @Option(
        name: .customLong("graph"),
        help: "A graph to plan; may be repeated. Default: 'main', or the only graph.",
        completion: .names(.graph)
    )
    var graphs: [String] = []

    @OptionGroup var inputs: InputOptions

    @Option(help: "The format of the plan: text, json, mermaid, dot or curl.")
    var format = Format.text

    @Option(
        help: ArgumentHelp(
            "Print where each header, parameter and setting of this endpoint comes from instead, as text or json.",
            valueName: "endpoint"
        ),
        completion: .names(.endpoint)
    )
    var explain: String?

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if explain != nil, ![.text, .json].contains(format) {
            throw ValidationError("--explain supports only --format text and --format json.")
        }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        var (planOptions, diagnostics) = try inputs.planOptions(output)
        planOptions.graphs = graphs
        let checked = try options.checkedManifest(explain.map(BoundOperations.named) ?? .called)
        if let explain {
            let stage = checked.then { Pipeline.explain(explain, of: $0, planOptions) }
            output.report(diagnostics + stage.diagnostics)
            guard let explanation = stage.value else { throw ExitStatus.invalid }
            let text = format == .json ? explanation.jsonDocument : explanation.text(colour: output.coloursOutput)
            return try output.writeResult(Array(text.utf8), as: format == .json ? .json : .text)
        }
        let stage = checked.then { checked in
            Pipeline.plan(checked, planOptions).map { PlanDescription($0, of: checked, options: planOptions) }
        }
        output.report(diagnostics + stage.diagnostics)
        guard let description = stage.value else { throw ExitStatus.invalid }
        let document =
            switch format {
            case .curl: ExportCommand.text(of: description.plan) { _ in true }
            case .text: description.text(colour: output.coloursOutput)
            case .json: description.jsonDocument
            case .mermaid: description.mermaid
            case .dot: description.graphviz
            }
        try output.writeResult(Array(document.utf8), as: format == .json ? .json : .text)
    }
}
