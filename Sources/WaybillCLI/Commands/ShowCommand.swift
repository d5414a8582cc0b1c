import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillResults

/// `waybill show`
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the results of an earlier run.",
        discussion: "Of a run that was killed, it prints the steps that keep their results when the run is resumed."
    )

    @OptionGroup var argument: RunArgument

    @Flag(help: "Only the steps that failed, also those whose failure was tolerated.")
    var failed = false

    @Option(
        name: .customLong("step"),
        help: "Only the step with this id, or with this path, such as main.login, and what is in it; may be repeated."
    )
    var steps: [String] = []

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() throws {
        let output = Output(noColour: noColor)
        if let suite = RunFolders.suite(of: argument.run) {
            for (index, member) in suite.members.enumerated() {
                if index > 0 { output.write("\n") }
                if let entry = RunFolders.entry(of: member.folder) {
                    show(entry, output)
                } else {
                    output.write("\(PrintableText.oneLine(member.manifest))  not run\n")
                }
            }
            return
        }
        guard let entry = RunFolders.entry(of: argument.folder) else {
            output.report([Diagnostic("run-error", RunFolders.missingReason(of: argument.run), at: nil)])
            throw ExitStatus.notCarriedOut
        }
        show(entry, output)
    }

    private func show(_ entry: RunFolders.Entry, _ output: Output) {
        let printer = RunPrinter(output, quiet: false, verbose: false)
        if let result = entry.result {
            output.write("\(result.id)  \(PrintableText.oneLine(result.manifest))  \(result.outcome.rawValue)\n")
            for step in result.steps where isMeant(step) { printer.show(step) }
            printer.finish(result, folder: entry.folder, namesResume: false)
        } else if let record = entry.record {
            output.write(
                "\(record.id)  \(PrintableText.oneLine(record.manifest))  \(entry.isRunning ? "running" : "unfinished")\n"
            )
            for path in record.steps.paths {
                if let step = record.steps.step(at: path), isMeant(step.result) { printer.show(step.result) }
            }
            output.write(
                entry.isRunning ? "\nthe run is still running\n" : "\nwaybill resume \(entry.folder) continues it\n"
            )
        }
    }

    private func isMeant(_ step: StepResult) -> Bool {
        if failed, step.outcome != .failed, step.outcome != .tolerated { return false }
        return steps.isEmpty || steps.contains { $0 == step.id || step.path == $0 || step.path.hasPrefix("\($0).") }
    }
}
