import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillResults

/// `waybill show`
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the results of an earlier run.",
        discussion: "For a run that was killed, it prints the steps that keep their results when the run is resumed."
    )

    @OptionGroup var argument: RunArgument

    @Flag(help: "Print only the steps that failed, including those whose failure was tolerated.")
    var failed = false

    @Option(
        name: .customLong("step"),
        help: "Print only the step with this id or path, such as main.login, and the steps in it; may be repeated."
    )
    var steps: [String] = []

    @Flag(help: "Print response bodies in full, if they were kept (see 'waybill run --keep-bodies').")
    var body = false

    @Option(
        help: ArgumentHelp(
            "Print the differences from this earlier run: outcomes, times and outputs.",
            valueName: "run"
        ),
        completion: .directory
    )
    var against: String?

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() throws {
        let output = Output(noColour: noColor)
        if let against { return try compare(with: against, output) }
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
        let bodies = KeptBodies(folder: entry.folder)
        if let result = entry.result {
            output.write("\(result.id)  \(PrintableText.oneLine(result.manifest))  \(result.outcome.rawValue)\n")
            for step in result.steps where isMeant(step) { printer.show(step, bodies: bodies, printsBody: body) }
            printer.finish(result, folder: entry.folder, listsFailures: false, namesResume: false)
        } else if let record = entry.record {
            output.write(
                "\(record.id)  \(PrintableText.oneLine(record.manifest))  \(entry.isRunning ? "running" : "unfinished")\n"
            )
            for path in record.steps.paths {
                if let step = record.steps.step(at: path), isMeant(step.result) {
                    printer.show(step.result, bodies: bodies, printsBody: body)
                }
            }
            output.write(
                entry.isRunning ? "\nthe run is still running\n" : "\nwaybill resume \(entry.folder) continues it\n"
            )
        }
    }

    /// Prints the differences from an earlier run; for a suite, those of each manifest that both have.
    private func compare(with earlier: String, _ output: Output) throws {
        let (later, before) = (try folders(of: argument.run, output), try folders(of: earlier, output))
        let printer = ComparisonPrinter(colour: output.coloursOutput)
        for (index, member) in later.enumerated() {
            if index > 0 { output.write("\n") }
            let other = later.count == 1 ? before.first : before.first { $0.manifest == member.manifest }
            output.write(printer.text(of: member.folder, against: other?.folder, manifest: member.manifest))
        }
        for member in before where later.count > 1 && !later.contains(where: { $0.manifest == member.manifest }) {
            output.write("\n\(PrintableText.oneLine(member.manifest))  only in the earlier run\n")
        }
    }

    /// Returns the folders of the runs of a suite, or of a single run, with the paths of their manifests.
    private func folders(of run: String, _ output: Output) throws -> [(manifest: String, folder: String)] {
        if let suite = RunFolders.suite(of: run) { return suite.members.map { ($0.manifest, $0.folder) } }
        guard let result = RunFolders.entry(of: RunFolders.folder(of: run))?.result else {
            output.report([Diagnostic("run-error", RunFolders.missingReason(of: run), at: nil)])
            throw ExitStatus.notCarriedOut
        }
        return [(result.manifest, RunFolders.folder(of: run))]
    }

    private func isMeant(_ step: StepResult) -> Bool {
        if failed, step.outcome != .failed, step.outcome != .tolerated { return false }
        return steps.isEmpty || steps.contains { $0 == step.id || step.path == $0 || step.path.hasPrefix("\($0).") }
    }
}
