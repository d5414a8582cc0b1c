import ArgumentParser
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillPlatform
import WaybillResults
import WaybillTransport

/// `waybill run`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs the graphs of manifests and writes results.",
        discussion: """
            The results are written to waybill-results/<run id>: run.json (summary), outputs.json, and events.ndjson \
            (the journal); waybill-results/latest links to the newest run. With several manifests, each one is a \
            separate run in a subfolder. All manifests are checked before the first one runs.
            """
    )

    @OptionGroup var manifests: ManifestsOptions

    @Option(
        name: .customLong("graph"),
        help: "A graph to run; may be repeated. Default: 'main', or the only graph.",
        completion: .names(.graph)
    )
    var graphs: [String] = []

    @OptionGroup var selection: SelectionOptions

    @OptionGroup var inputs: InputOptions

    @Option(help: "The folder for the results, instead of waybill-results/<run id>.", completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp(
            "The state file that the run reads and updates, instead of waybill-results/state/NAME.json.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var state: String?

    @OptionGroup var shards: ShardOptions

    @Option(help: "Run only a part: 'before' stops before the steps with 'shard: true'.")
    var phase: Phase?

    @Flag(help: "Continue the run in --out if it has not passed, and do nothing if it has.")
    var resume = false

    @Flag(help: "Respond to every request with the manifest's 'mock' examples; nothing leaves this machine.")
    var mock = false

    @Option(help: "The maximum number of requests at once, at most 100000.")
    var concurrency: Int?

    @Option(help: "The maximum number of manifests that run at once, at most 1000.")
    var jobs = 1

    @Flag(help: "Start no further manifest after one has failed.")
    var failFast = false

    @Flag(
        help: """
            Run again whenever a manifest, or a file that it includes or reads data from, changes. Nothing is sent \
            while a manifest is invalid.
            """
    )
    var watch = false

    @OptionGroup var printing: RunOutputOptions

    @OptionGroup var reports: ReportOptions

    /// The maximum number of manifests that run at once. Each run has threads and open files of its own.
    private static let maximumJobs = 1000

    /// The parts of a run other than shards.
    enum Phase: String, ExpressibleByArgument, CaseIterable {
        /// What comes before the sharded steps.
        case before
    }

    func validate() throws {
        if phase != nil, shards.shard != nil {
            throw ValidationError("--phase before cannot be combined with --shard.")
        }
        if resume, out == nil { throw ValidationError("--resume requires --out, the folder of the run to continue.") }
        if resume, manifests.manifests.contains("-") {
            throw ValidationError("--resume cannot read the manifest from standard input; use 'waybill resume'.")
        }
        if watch, resume || part != nil {
            throw ValidationError("--watch cannot be combined with --resume, --shard or --phase.")
        }
        if let concurrency, !(1...ConcurrencySetting.maximum).contains(concurrency) {
            throw ValidationError("--concurrency must be from 1 to \(ConcurrencySetting.maximum).")
        }
        if !(1...Self.maximumJobs).contains(jobs) {
            throw ValidationError("--jobs must be from 1 to \(Self.maximumJobs).")
        }
        if reports.minCoverage != nil, mock || part != nil {
            throw ValidationError(
                "--min-coverage cannot be combined with --mock, --shard or --phase: such a run cannot show which operations "
                    + "work. Give it to 'waybill merge' for shards."
            )
        }
        if watch, manifests.manifests.contains("-") { throw ValidationError("--watch cannot watch standard input.") }
        if watch, printing.format != .human {
            throw ValidationError("--watch cannot be combined with --format \(printing.format.rawValue).")
        }
    }

    func run() throws {
        let output = Output(noColour: printing.noColor)
        guard watch else { return try runOnce(output, files: WatchedFiles()) }
        var isFirst = true
        while true {
            let files = WatchedFiles()
            for path in inputs.inputFiles + inputs.environmentFiles { files.add(path) }
            let found = manifestsNow
            do {
                try runOnce(output, files: files)
            } catch let status as ExitCode {
                // The reason was already printed. A signal stops both the run and the watching.
                if Signals.received != nil { throw status }
            } catch let error as ValidationError where !isFirst {
                // The options fit the manifests at the start, and may fit them again.
                output.report([Diagnostic("run-error", error.message, at: nil)])
            }
            isFirst = false
            // While nothing runs, a signal ends the program.
            Signals.onStop()
            let watched = files.count == 0 ? "for manifests" : files.count == 1 ? "1 file" : "\(files.count) files"
            output.write("\nwatching \(watched); press Ctrl-C to stop\n")
            waitForChange(of: files, found)
            output.write("\n")
        }
    }

    /// The manifests that there are now.
    private var manifestsNow: [String] { ManifestFinder.manifests(at: manifests.pathsOrUsual).manifests }

    /// Waits until a file has changed, or a folder has other manifests than before, and the change is complete.
    private func waitForChange(of files: WatchedFiles, _ found: [String]) {
        while !files.haveChanged, manifestsNow == found { usleep(300_000) }
        // Editors replace files in several steps. A file that is missing for longer was deleted.
        var before = (files.current, manifestsNow)
        var unchanged = 0
        repeat {
            usleep(100_000)
            let now = (files.current, manifestsNow)
            unchanged = now == before ? unchanged + 1 : 0
            before = now
        } while unchanged < (files.areMissing ? 10 : 1)
    }

    /// Checks the manifests and runs them.
    private func runOnce(_ output: Output, files: WatchedFiles) throws {
        var (planOptions, diagnostics) = planOptions
        if resume, let out, let reason = RunFolders.unfinishedMerge(in: out) {
            throw output.notRun(reason.commandMessage)
        }
        if resume, let out, RunFolder.hasEvents(out) {
            return try continueRun(in: out, planOptions, diagnostics, output)
        }
        guard !diagnostics.hasErrors else { throw output.invalid(diagnostics) }
        let paths = try manifests.paths(output, namesOthers: printing.verbose)
        planOptions.selection.toleratesUnknownNames = paths.count > 1
        let recording = RecordingFiles(files)
        let pipeline = Pipeline(files: part == nil ? files : recording, allowsOutside: manifests.allowOutside)
        let loaded = paths.map { pipeline.load($0) }
        loaded.shareInputs(&planOptions)
        let checked = zip(loaded, loaded.environments(manifests.environment, output)).map { loaded, environment in
            pipeline.check(loaded, environment: environment)
        }
        let all = checked.map { $0.then { Pipeline.plan($0, planOptions) } }
        // If there are several manifests, those without a selected step are skipped, and so are those without graphs, which
        // others include, unless they were named.
        let parts = loaded.parts(besides: manifests.manifests)
        let selected = paths.indices.filter { index in
            let hasNoGraphs = checked[index].value?.hasNoGraphs ?? parts.contains(index)
            return all.count == 1
                || !all[index].hasNothingSelected && (!hasNoGraphs || manifests.manifests.contains(paths[index]))
        }
        for index in paths.indices where printing.verbose && !selected.isEmpty && !selected.contains(index) {
            output.writeError("'\(PrintableText.oneLine(paths[index]))' has no step to run\n")
        }
        let withGraphs = paths.indices.filter { !(checked[$0].value?.hasNoGraphs ?? parts.contains($0)) }
        let reported = selected.isEmpty ? withGraphs : selected
        let stages = reported.isEmpty ? all : reported.map { all[$0] }
        if paths.count > 1 {
            let tags = checked.compactMap { $0.value?.manifest }.flatMap(\.tags)
            diagnostics += planOptions.selection.unmatchedTags(among: tags)
        }
        output.report((diagnostics + stages.flatMap(\.diagnostics)).withoutRepetitions())
        let plans = stages.compactMap(\.value)
        guard plans.count == stages.count else { throw ExitStatus.invalid }
        if reports.minCoverage != nil, !plans.contains(where: \.callsOperations) {
            throw ValidationError("--min-coverage requires a step that calls an operation of an OpenAPI document.")
        }
        if part != nil, paths.count > 1 {
            throw ValidationError("--shard and --phase support only one manifest; name its file.")
        }
        if resume, paths.count > 1 { throw ValidationError("--resume supports only one manifest; name its file.") }
        let unsafe =
            part == nil ? [] : checked[0].value.map { plans[0].unsafeRequestsOfPart(of: $0, planOptions) } ?? []
        guard unsafe.isEmpty else { throw output.invalid(unsafe) }
        try reports.check(fileList(of: plans, at: selected.map { paths[$0] }, isSuite: paths.count > 1), output)
        guard paths.count > 1 else {
            return try run(plans[0], planOptions, keeping: recording.texts, output)
        }
        if let error = planOptions.selection.unmatched(in: plans) {
            throw output.invalid([error])
        }
        // Nothing is sent if any of the manifests cannot be run.
        let missing = plans.flatMap { RunSession.secrets(of: $0, in: planOptions.variables).errors }
        guard missing.isEmpty else { throw output.invalid(missing.withoutRepetitions()) }
        let unread = readSecrets(of: plans, planOptions.variables)
        if let signal = Signals.received { throw ExitCode(128 + signal) }
        guard unread.isEmpty else { throw output.invalid(unread.withoutRepetitions()) }
        try run(plans, of: selected.map { paths[$0] }, planOptions, output)
    }

    /// Reads the secrets of plans that are not in the environment; returns the errors. The runs do not start the commands
    /// again.
    private func readSecrets(of plans: [Plan], _ variables: [String: String]) -> [Diagnostic] {
        let reading = Task { [mock] in
            var errors: [Diagnostic] = []
            for plan in plans where errors.isEmpty {
                errors += await SecretReader.values(of: plan, variables: variables, isMocked: mock).errors
            }
            return errors
        }
        Signals.onStop({ reading.cancel() })
        return waiting { () async throws(Never) in await reading.value }
    }

    /// Returns the files that the runs of plans read and write.
    private func fileList(of plans: [Plan], at paths: [String], isSuite: Bool) -> RunFileList {
        var files = RunFileList()
        let folders = isSuite ? out.map { SuiteFolder.folders(of: paths, in: $0) } : out.map { [$0] }
        if isSuite, let out { files.addResults(in: out) }
        for (index, plan) in plans.enumerated() {
            files.add(
                RunFileList(
                    of: plan,
                    in: folders.flatMap { index < $0.count ? $0[index] : nil },
                    stateFile: StateLocation.file(of: plan, state, hasUsualFile: !mock),
                    updatesSnapshots: printing.updateSnapshots
                )
            )
        }
        return files
    }

    /// Continues the run in a folder, which must have been started with the same options.
    private func continueRun(
        in folder: String,
        _ options: PlanOptions,
        _ diagnostics: [Diagnostic],
        _ output: Output
    ) throws {
        let paths = try manifests.paths(output, namesOthers: printing.verbose)
        let run = ResumedRun(
            folder: folder,
            allowsOutside: manifests.allowOutside,
            options: options,
            diagnostics: diagnostics,
            printing: printing,
            output: output
        )
        let resumption = try run.resumption()
        let record = resumption.record
        let areGraphsOther = (graphs.isEmpty ? resumption.usualGraphs : graphs) != record.graphs
        let differences = [
            (paths != [record.manifest], "another manifest, '\(record.manifest)'"),
            (manifests.environment != record.environment, "another environment"),
            (RunPart(json: record.part) != part, "another --shard, --full-limits or --phase"),
            (selection.selection.json != record.selection, "another --only, --tag or --not-tag"),
            (areGraphsOther && resumption.plan != nil, "other graphs"),
            (mock != record.isMocked, record.isMocked ? "--mock" : "no --mock"),
        ]
        guard differences.allSatisfy({ !$0.0 }) else {
            let list = differences.filter(\.0).map(\.1).joined(separator: ", and with ")
            let message = "the run in '\(folder)' was started with \(list); choose another folder with --out"
            throw output.notRun(message)
        }
        guard record.outcome == .passed, !record.isStateUnstored,
            let entry = RunFolders.entry(of: folder)?.reported
        else {
            return try run.resume(resumption, reports)
        }
        // A run that has passed proves nothing of a manifest that is another one now.
        guard !resumption.diagnostics.hasErrors else { throw output.invalid(resumption.diagnostics) }
        if let step = resumption.addedSteps.first {
            let message = "the run in '\(folder)' has passed without step '\(step)', which the manifest has now"
            throw output.notRun("\(message); choose another folder with --out")
        }
        if !printing.quiet { output.write("the run in \(PrintableText.oneLine(folder)) has already passed\n") }
        try reports.write(for: [entry], output)
        try reports.checkCoverage(of: [entry], output)
    }

    /// The part of the run that this process executes; `nil` for the whole run.
    private var part: RunPart? { shards.value.map { .shard($0) } ?? (phase == .before ? .before : nil) }

    /// Runs one manifest.
    ///
    /// - Parameter texts: The files of the manifest that are kept with the run, by path.
    private func run(
        _ plan: Plan,
        _ planOptions: PlanOptions,
        keeping texts: [CodePoints: [UInt8]],
        _ output: Output
    ) throws {
        var runOptions = RunOptions()
        runOptions.outputFolder = out
        runOptions.replacesRun = !resume
        runOptions.stateFile = state
        runOptions.usesMock = mock
        runOptions.variables = planOptions.variables
        runOptions.keptFiles = texts
        try printing.run(plan, runOptions, reports, output)
    }

    /// Runs several manifests.
    private func run(_ plans: [Plan], of paths: [String], _ planOptions: PlanOptions, _ output: Output) throws {
        guard printing.format == .human else {
            throw ValidationError("--format \(printing.format.rawValue) supports only one manifest; name its file.")
        }
        guard state == nil else { throw ValidationError("--state supports only one manifest; name its file.") }
        let shared = mock ? [] : StateLocation.shared(by: plans)
        guard shared.isEmpty else { throw output.invalid(shared) }
        let suite: SuiteFolder
        do throws(ResultsError) {
            suite = try SuiteFolder.create(out, in: RunFolders.usual, for: paths, suiteOptions(planOptions))
        } catch {
            throw output.notRun(error.description)
        }
        let jobs = FileLimit.room(forRuns: min(self.jobs, paths.count))
        if jobs < min(self.jobs, paths.count) {
            let runs = jobs == 1 ? "one manifest runs" : "\(jobs) manifests run"
            output.writeError("only \(runs) at once, because the limit of open files is low (ulimit -n)\n")
        }
        let runner = SuiteRunner(
            suite: suite,
            plans: plans,
            usesMock: mock,
            variables: planOptions.variables,
            printing: printing,
            reports: reports,
            output: output,
            jobs: jobs,
            failFast: failFast
        )
        try runner.run()
    }

    private func suiteOptions(_ planOptions: PlanOptions) -> SuiteFolder.Options {
        var options = SuiteFolder.Options()
        options.environment = manifests.environment
        options.graphs = graphs
        options.inputs = planOptions.inputNames
        options.concurrency = concurrency
        options.selection = planOptions.selection.json
        options.usesMock = mock
        return options
    }

    private var planOptions: (PlanOptions, [Diagnostic]) {
        var (plan, diagnostics) = inputs.planOptions()
        plan.graphs = graphs
        plan.selection = selection.selection
        plan.concurrency = concurrency
        plan.part = part
        return (plan, diagnostics)
    }
}

extension Pipeline.Stage {
    /// Whether the only error is that the manifest has no selected step.
    fileprivate var hasNothingSelected: Bool {
        let errors = diagnostics.filter { $0.severity == .error }
        return !errors.isEmpty && errors.allSatisfy { $0.id == "nothing-selected" }
    }
}
