import ArgumentParser
import WaybillDiagnostics
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// `waybill resume`
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Continues a run that failed, was stopped or was killed.",
        discussion: """
            Steps that passed keep their results and are not sent again. There is one exception: a remaining step \
            needs something from a passed one that the journal does not contain, a secret output or a cookie. The \
            passed step is then sent again if its method is safe (GET, HEAD) or --repeat-unsure is given; otherwise \
            nothing is sent, and the message names the step. If a 'finally' had started, all of its steps run again. \
            Inputs are those of the run; secrets and sessions are fetched again. The run is rejected if parts of the \
            manifest that have already run were changed. In a run of several manifests, those that had not started are \
            run too.
            """
    )

    @OptionGroup var argument: RunArgument

    @Flag(
        help: """
            Repeat requests that may have been sent but have no recorded response, and requests that passed but are \
            needed again, even if this performs their effects twice.
            """
    )
    var repeatUnsure = false

    @Flag(help: "Also repeat steps and elements whose failures were tolerated (onFailure: continue).")
    var failed = false

    @OptionGroup var inputs: InputOptions

    @Flag(help: "Allow the manifest to use files outside its folder and to write outside the results folder.")
    var allowOutside = false

    @OptionGroup var shards: ShardOptions

    @Option(
        help: "With --shard, the folder for the results of the shard, which continues a run with --phase before.",
        completion: .directory
    )
    var out: String?

    @OptionGroup var printing: RunOutputOptions

    @OptionGroup var reports: ReportOptions

    func validate() throws {
        if (shards.shard == nil) != (out == nil) { throw ValidationError("--shard and --out require each other.") }
    }

    func run() throws {
        let output = Output(noColour: printing.noColor)
        var (options, diagnostics) = try inputs.planOptions(output)
        let suite = RunFolders.suite(of: argument.run)
        // Each value was for the manifests that have the input.
        options.suiteInputs = suite.map { Set($0.options.inputs) }
        var run = ResumedRun(
            folder: argument.folder,
            allowsOutside: allowOutside,
            repeatsUnsure: repeatUnsure,
            repeatsTolerated: failed,
            options: options,
            diagnostics: diagnostics,
            needsExchanges: reports.needsExchanges,
            printing: printing,
            output: output
        )
        if var suite {
            do throws(ResultsError) {
                try suite.claim()
            } catch {
                throw output.notRun(error.description)
            }
            return try resume(suite, run)
        }
        if let shard = shards.value, let out {
            // The shard has a folder of its own.
            do {
                try ShardStart.prepare(out, from: argument.folder, for: shard)
            } catch {
                throw output.notRun(error.commandMessage)
            }
            (run.folder, run.part) = (out, .shard(shard))
        } else if !RunFolders.hasJournal(argument.folder) {
            throw output.notRun(RunFolders.missingRun(argument.run).commandMessage)
        }
        try run.resume(reports)
    }

    /// Resumes the runs of a suite that have not passed and runs those that were not started, one after another. Throws
    /// the worst exit status.
    private func resume(_ suite: SuiteFolder, _ run: ResumedRun) throws {
        let output = run.output
        guard printing.format == .human else {
            throw ValidationError(
                "--format \(printing.format.rawValue) supports only runs of one manifest; this run has several."
            )
        }
        var worst = ExitCode.success
        var failedStarts: Set<String> = []
        let startedAt = ContinuousClock.now
        var resumesAny = false
        for member in suite.members where Signals.received == nil {
            var run = run
            (run.folder, run.suiteFolder) = (member.folder, suite.path)
            do {
                if !failed, RunFolders.isComplete(member.folder) {
                    try run.check()
                    continue
                }
                resumesAny = true
                if !printing.quiet { output.write("\n\(PrintableText.oneLine(member.manifest))\n") }
                if RunFolder.hasEvents(run.folder) { try run.resume(nil) } else { try start(member, of: suite, run) }
            } catch let status as ExitCode {
                worst = worst.orWorse(status)
                if !RunFolder.hasEvents(member.folder) { failedStarts.insert(member.folder) }
            }
        }
        printSummary(of: suite, time: resumesAny ? ContinuousClock.now - startedAt : nil, output)
        let runs = suite.reportedRuns(failedStarts: failedStarts)
        try reports.write(for: runs, output)
        if let signal = Signals.received { throw ExitCode(128 + signal) }
        if !worst.isSuccess { throw worst }
        try reports.checkCoverage(of: runs, output)
    }

    /// Prints how many runs of a suite have passed, and those that have not.
    ///
    /// - Parameter time: How long it took; `nil` if nothing was resumed, because everything had passed.
    private func printSummary(of suite: SuiteFolder, time: Duration?, _ output: Output) {
        let summary = SuiteSummary(of: suite)
        guard !printing.quiet || summary.passed < suite.members.count else { return }
        let words = time.map { " in \($0.timeText)" } ?? "; there is nothing to resume"
        let mock = suite.options.usesMock && time != nil ? ", on the mock server" : ""
        output.write("\n\(summary.text)\(words)\(mock)\n")
        let coverage = suite.members.map { RunFolders.entry(of: $0.folder)?.result?.coverage ?? [] }
        output.write(CoverageText.summaries(of: ContractCoverage.combined(coverage)))
        for member in suite.members {
            let result = RunFolders.entry(of: member.folder)?.result
            guard result?.outcome != .passed, result != nil || RunFolders.missingResult(of: member.folder) != nil else {
                continue
            }
            let unfinished = "  ✗ \(PrintableText.oneLine(member.manifest))\n"
            output.write(result?.summaryLines(member.manifest) ?? unfinished)
        }
        output.write("results in \(PrintableText.oneLine(suite.path))\n")
    }

    /// Runs a manifest of a suite that was not started.
    private func start(_ member: SuiteFolder.Member, of suite: SuiteFolder, _ run: ResumedRun) throws {
        var options = run.options
        let pipeline = Pipeline(allowsOutside: allowOutside)
        let loaded = pipeline.load(member.manifest)
        let missing = suite.options.inputs.filter { name in
            !options.inputNames.contains(name) && loaded.manifest?.inputNames.contains(name) == true
        }
        guard missing.isEmpty else {
            let names = missing.map { "'\($0)'" }.joined(separator: ", ")
            let help = ["The values of inputs are not stored. Set them again, for example --input \(missing[0])=VALUE."]
            let message = "could not start '\(member.manifest)': the inputs of the run are missing: \(names)"
            throw run.output.invalid([Diagnostic("run-error", message, at: nil, help: help)])
        }
        options.graphs = suite.options.graphs
        options.concurrency = suite.options.concurrency
        options.selection = StepSelection(json: suite.options.selection)
        let environment = suite.options.environment.flatMap { loaded.environment($0, run.output) }
        let stage = pipeline.check(loaded, environment: environment)
            .then { [options] in Pipeline.plan($0, options) }
        run.output.report(run.diagnostics + stage.diagnostics)
        guard let plan = stage.value else { throw ExitStatus.invalid }
        var runOptions = RunOptions()
        runOptions.outputFolder = member.folder
        runOptions.suiteFolder = suite.path
        runOptions.replacesRun = false
        runOptions.reportsFirstElements = reports.needsExchanges
        runOptions.usesMock = suite.options.usesMock
        runOptions.variables = options.variables
        try printing.run(plan, runOptions, nil, run.output)
    }
}
