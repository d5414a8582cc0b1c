import ArgumentParser
import WaybillDiagnostics
import WaybillExecution
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// `waybill merge`
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Combines the runs of all shards in one run.",
        discussion: """
            Each run is that of one shard, started with --shard K/N; all N must have passed. The files that their steps \
            write have all records in the order of the elements, as if one process had run them. Nothing is sent. If steps \
            come after the sharded ones, 'waybill resume' of the merged run runs them. Merging again gives the same files.
            """
    )

    @Argument(
        help: "The runs of the shards, in any order: their names in waybill-results, or the paths of their folders.",
        completion: .runs
    )
    var runs: [String]

    @Option(help: "The folder for the merged run.", completion: .directory)
    var out: String

    @OptionGroup var inputs: InputOptions

    @Flag(help: "Allow the manifest to use files outside its folder.")
    var allowOutside = false

    @OptionGroup var printing: RunOutputOptions

    @OptionGroup var reports: ReportOptions

    func run() throws {
        let output = Output(noColour: printing.noColor)
        let (options, diagnostics) = try inputs.planOptions(output)
        do {
            let runs = runs.map(RunFolders.folder)
            let merge = try RunMerge(of: runs, options: options, allowsOutside: allowOutside)
            output.report(diagnostics + merge.diagnostics)
            guard let plan = merge.plan else { throw ExitStatus.invalid }
            if plan.continuesAfterShards, !reports.report.isEmpty || reports.minCoverage != nil {
                throw ValidationError(
                    "Steps come after the shards: give --report and --min-coverage to 'waybill resume \(PrintableText.shellWord(out))', which "
                        + "runs them."
                )
            }
            var files = RunFileList(of: plan, in: out, stateFile: merge.stateFile)
            for run in runs { files.addResults(in: run) }
            try reports.check(files, output)
            let merged = try waiting { [out] () async throws(RunError) in try await merge.merge(plan, into: out) }
            guard !plan.continuesAfterShards else {
                let steps = "'waybill resume \(PrintableText.shellWord(out))' runs the steps after them"
                guard !printing.quiet else { return }
                return output.write(
                    "merged \(runs.count == 1 ? "1 shard" : "\(runs.count) shards") in \(PrintableText.oneLine(out)); \(steps)\n"
                )
            }
            var runOptions = RunOptions()
            runOptions.variables = options.variables
            runOptions.sendsNothing = true
            runOptions.keptFiles = merge.keptFiles
            runOptions.resumed = (merged.record, out)
            (runOptions.time, runOptions.clock) = (merged.time, StoppedClock())
            try printing.run(plan, runOptions, reports, output)
        } catch let error as RunError {
            throw output.notRun(error.commandMessage)
        }
    }
}
