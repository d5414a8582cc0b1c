import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
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
        help: """
            Print only the step with this id or path, such as main.login, and the steps in it, or only the element with \
            this path, such as main.items[3]; may be repeated.
            """,
        completion: .candidates { words in
            words.arguments.first.map { RunCompletions.steps(words.prefix, of: $0) } ?? []
        }
    )
    var steps: [String] = []

    @Flag(help: "Print response bodies in full, if they were kept (see 'waybill run --keep-bodies').")
    var body = false

    @Flag(help: "Print the requests that the steps of --step have sent, with their header fields and bodies.")
    var request = false

    @Option(
        help: ArgumentHelp(
            "Print the differences from this earlier run: outcomes, times, elements, files and outputs.",
            valueName: "run"
        ),
        completion: .runs
    )
    var against: String?

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if request, steps.isEmpty { throw ValidationError("--request requires --step, which names the steps.") }
        if request, against != nil { throw ValidationError("--request cannot be combined with --against.") }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        if let against { return try compare(with: against, output) }
        if let suite = RunFolders.suite(of: argument.run) { return try show(suite, output) }
        guard let entry = RunFolders.entry(of: argument.folder) else {
            throw output.notRun(RunFolders.missingRun(argument.run).commandMessage)
        }
        let recorded = entry.recorded
        try checkNames(in: recorded.steps, output)
        try show(entry, recorded, output)
    }

    /// Prints the runs of a suite. If steps are named, prints only the runs that have one of them.
    private func show(_ suite: SuiteFolder, _ output: Output) throws {
        let entries = suite.members.map { RunFolders.entry(of: $0.folder) }
        let recorded = entries.map { $0?.recorded ?? (steps: [], unfinished: []) }
        try checkNames(in: recorded.flatMap(\.steps), output)
        var isFirst = true
        for (index, (member, entry)) in zip(suite.members, entries).enumerated() {
            if !steps.isEmpty, !recorded[index].steps.contains(where: isNamed) { continue }
            if !isFirst { output.write("\n") }
            isFirst = false
            if let entry {
                try show(entry, recorded[index], output)
            } else {
                let reason = RunFolders.missingResult(of: member.folder)?.error.commandMessage ?? "not run"
                output.write("\(PrintableText.oneLine(member.manifest))  \(PrintableText.oneLine(reason))\n")
            }
        }
    }

    /// Throws the exit status if a named step does not exist.
    private func checkNames(in all: [StepResult], _ output: Output) throws {
        guard let name = ShownSteps(names: steps).unknown(in: all) else { return }
        throw output.invalid([ShownSteps.error(for: name, in: all)])
    }

    private func show(
        _ entry: RunFolders.Entry,
        _ recorded: (steps: [StepResult], unfinished: Set<String>),
        _ output: Output
    ) throws {
        let printer = RunPrinter(output, quiet: false, verbose: false)
        let (bodies, files) = (KeptBodies(folder: entry.folder), RunFiles(folder: entry.folder))
        let id = (entry.result?.id ?? entry.record?.id)?.description ?? ""
        let outcome = entry.result?.outcome.rawValue ?? (entry.isRunning ? "running" : "unfinished")
        output.write("\(id)  \(PrintableText.oneLine(entry.description))  \(outcome)\n")
        for step in recorded.steps where !failed || Self.hasFailed(step) {
            if selection.contains(step), recorded.unfinished.contains(step.path) {
                printer.show(unfinished: step)
            } else if selection.contains(step) {
                printer.show(step, files: files.of(step: step.path), bodies: bodies, printsBody: body)
            }
            for element in selection.elements(of: step) {
                printer.show(element: element, of: step, bodies: bodies, printsBody: body)
            }
        }
        if request {
            do throws(ResultsError) {
                let shown = recorded.steps.filter(selection.contains).map(\.path)
                let elements = recorded.steps.flatMap { step in
                    selection.elements(of: step).map { "\(step.path)[\($0)]" }
                }
                try printer.showRequests(in: entry.folder, of: shown + elements)
            } catch {
                throw output.notRun(error.description)
            }
        }
        if let result = entry.result {
            printer.finish(result, folder: entry.folder, listsFailures: false, namesResume: false)
        } else {
            output.write(
                entry.isRunning
                    ? "\nthe run is still running\n"
                    : "\nwaybill resume \(PrintableText.shellWord(entry.folder)) continues it\n"
            )
        }
    }

    /// Whether a step has a failure of its own, or one of its elements has.
    private static func hasFailed(_ step: StepResult) -> Bool {
        if let elements = step.elements, elements.counts[.failed] + elements.counts[.tolerated] > 0 { return true }
        return step.isCounted && (step.outcome == .failed || step.outcome == .tolerated)
    }

    private var selection: ShownSteps { ShownSteps(names: steps) }

    private func isNamed(_ step: StepResult) -> Bool {
        selection.contains(step) || !selection.elements(of: step).isEmpty
    }

    /// Prints the differences from an earlier run; for a suite, those of each manifest that both have. `latest-passed`
    /// is the newest other run of the same manifests in which everything passed.
    private func compare(with earlier: String, _ output: Output) throws {
        let later = try folders(of: argument.run, output)
        var earlier = earlier
        if earlier == RunFolders.latestPassed {
            guard let passed = RunFolders.latestPassed(like: argument.folder) else {
                let manifests = later.count == 1 ? "'\(later[0].manifest)'" : "these manifests"
                let message = "no other run of \(manifests) in '\(RunFolders.usual)' has passed"
                throw output.notRun(message)
            }
            earlier = passed
        }
        let before = try folders(of: earlier, output)
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
            throw output.notRun(RunFolders.missingRun(run).commandMessage)
        }
        return [(result.manifest, RunFolders.folder(of: run))]
    }
}
