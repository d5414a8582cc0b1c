import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// `waybill report`
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes reports about an earlier run.",
        discussion: "Does the same as 'waybill run --report', for a run that has finished."
    )

    @OptionGroup var argument: RunArgument

    @Option(help: "Write a JUnit XML report.", completion: .file(extensions: ["xml"]))
    var junit: String?

    @Option(help: "Write a TAP (Test Anything Protocol) report.", completion: .file(extensions: ["tap"]))
    var tap: String?

    @Option(help: "Write a Markdown report.", completion: .file(extensions: ["md"]))
    var markdown: String?

    @Option(help: "Write an HTML report.", completion: .file(extensions: ["html"]))
    var html: String?

    @Option(help: "Write an HTTP Archive (HAR) of the requests.", completion: .file(extensions: ["har"]))
    var har: String?

    @Option(help: "Write a JSON report.", completion: .file(extensions: ["json"]))
    var json: String?

    @Flag(help: "Annotate the failures in the manifest for GitHub Actions, and append to the job summary.")
    var github = false

    func validate() throws {
        if requests.isEmpty { throw ValidationError("Name a report, such as --junit FILE.") }
        try ReportOptions.validate(requests)
    }

    func run() throws {
        let output = Output(noColour: true)
        if let suite = RunFolders.suite(of: argument.run) {
            let runs = suite.reportedRuns()
            try check(runs, in: [suite.path] + suite.members.map(\.folder), output)
            return try ReportOptions.write(requests, for: runs, output)
        }
        guard let run = RunFolders.entry(of: argument.folder)?.reported else {
            throw output.notRun(RunFolders.missingRun(argument.run).commandMessage)
        }
        try check([run], in: [argument.folder], output)
        try ReportOptions.write(requests, for: [run], output)
    }

    /// Reports each report that would replace a file of some runs, or one that their manifests read. Throws the exit
    /// status if there are any.
    private func check(_ runs: [ReportedRun], in folders: [String], _ output: Output) throws {
        let pipeline = Pipeline(allowsOutside: true)
        var files = RunFileList()
        for run in runs {
            let checked = pipeline.check(pipeline.load(run.result.manifest), environment: run.result.environment).value
            files.read(checked.map { Pipeline.namedFiles(of: $0) } ?? [])
        }
        files.read(pipeline.readFiles)
        for folder in folders { files.addResults(in: folder) }
        files.addRecorded(in: folders, for: requests.compactMap(\.path))
        try ReportOptions.check(requests, files, or: ExitStatus.invalid, output)
    }

    private var requests: [ReportOptions.Request] {
        let files: [(any RunReport.Type, String?)] = [
            (JUnitReport.self, junit), (TAPReport.self, tap), (MarkdownReport.self, markdown), (JSONReport.self, json),
            (HARReport.self, har), (HTMLReport.self, html),
        ]
        return files.compactMap { format, path in path.map { .report(format, to: $0) } } + (github ? [.github] : [])
    }
}
