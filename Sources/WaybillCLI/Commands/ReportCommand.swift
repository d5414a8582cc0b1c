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

    @Option(help: "Write the coverage of OpenAPI documents as JSON.", completion: .file(extensions: ["json"]))
    var coverage: String?

    @Option(help: "Write metrics for Prometheus' node_exporter.", completion: .file(extensions: ["prom"]))
    var prometheus: String?

    @Flag(help: "Annotate the failures in the manifest for GitHub Actions, and append to the job summary.")
    var github = false

    func validate() throws {
        if requests.isEmpty { throw ValidationError("Name a report, such as --junit FILE.") }
        try ReportOptions.validate(requests)
    }

    func run() throws {
        let output = Output(noColour: true)
        let (runs, folders): ([ReportedRun], [String])
        do throws(RunError) {
            (runs, folders) = try RunFolders.reportedRuns(of: argument.run)
        } catch {
            throw output.notRun(error.commandMessage)
        }
        let files = RunFileList(of: runs, in: folders, for: ReportOptions.paths(of: requests))
        try ReportOptions.check(requests, files, or: ExitStatus.invalid, output)
        try ReportOptions.write(requests, for: runs, output)
    }

    private var requests: [ReportOptions.Request] {
        let files: [(any RunReport.Type, String?)] = [
            (JUnitReport.self, junit), (TAPReport.self, tap), (MarkdownReport.self, markdown), (JSONReport.self, json),
            (HARReport.self, har), (HTMLReport.self, html), (CoverageReport.self, coverage),
            (PrometheusReport.self, prometheus),
        ]
        return files.compactMap { format, path in path.map { .report(format, to: $0) } } + (github ? [.github] : [])
    }
}
