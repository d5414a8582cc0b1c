import WaybillPipeline
import WaybillResults

extension ManifestRun.Report {
    /// A format of reports for other programs or for people, as `waybill report` writes them.
    public enum Format: String, Sendable, CaseIterable {
        /// The coverage of OpenAPI documents as JSON.
        case coverage
        /// An HTTP Archive of the requests and responses.
        case har
        /// A page for browsers.
        case html
        /// The summaries of the runs, as in `run.json`.
        case json
        /// JUnit XML, which CI servers read.
        case junit
        /// Markdown, such as for the summary of a job.
        case markdown
        /// Metrics for the textfile collector of Prometheus' node_exporter.
        case prometheus
        /// The Test Anything Protocol.
        case tap

        fileprivate var report: any RunReport.Type {
            switch self {
            case .coverage: CoverageReport.self
            case .har: HARReport.self
            case .html: HTMLReport.self
            case .json: JSONReport.self
            case .junit: JUnitReport.self
            case .markdown: MarkdownReport.self
            case .prometheus: PrometheusReport.self
            case .tap: TAPReport.self
            }
        }
    }

    /// Returns a report in a format.
    ///
    /// - Throws: ``RunError`` if the folder of the run cannot be read, or if the run has none and the report needs the
    ///   requests and responses in it, as that of the format ``Format/har`` does.
    public func text(in format: Format) throws(RunError) -> String {
        try checkFolder(for: format)
        var bytes: [UInt8] = []
        try RunError.mapping(to: .unreadableRun) { try format.report.write([reported]) { bytes += $0 } }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a report to a file, which is replaced atomically. Missing parent folders are created.
    ///
    /// - Throws: ``RunError`` if the file cannot be written, or if it is one that the run has written or its manifest
    ///   reads; also in the cases of ``text(in:)``.
    public func write(_ format: Format, to path: String) throws(RunError) {
        try checkFolder(for: format)
        try Self.write(format, of: [reported], in: folders, to: path)
    }

    /// Writes one report of the run in a folder, or of the runs of several manifests that the folder contains. A manifest
    /// that was not run is listed as such.
    ///
    /// - Parameters:
    ///   - format: The format of the report.
    ///   - folder: The folder of the results, or the name of a run in `waybill-results`, or `latest`.
    ///   - path: The path of the file, which is replaced atomically. Missing parent folders are created.
    /// - Throws: ``RunError`` if the folder does not contain a run, if the file cannot be written, or if it is one that the
    ///   runs have written or their manifests read.
    public static func write(_ format: Format, ofRunsIn folder: String, to path: String) throws(RunError) {
        let (runs, folders) = try RunFolders.reportedRuns(of: folder)
        try write(format, of: runs, in: folders, to: path)
    }

    private static func write(
        _ format: Format,
        of runs: [ReportedRun],
        in folders: [String],
        to path: String
    ) throws(RunError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw RunError(.unwritableResults, "the path of the report is empty or contains a NUL character")
        }
        var files = RunFileList(of: runs, in: folders, for: [path])
        files.write(path, as: .report)
        if let error = files.errors.first { throw RunError(.fileConflict, error.headline) }
        try RunError.mapping(to: .unwritableResults) { try format.report.write(runs, toFile: path) }
    }

    /// Throws if a format needs what only the folder of a run contains, and the run has none.
    private func checkFolder(for format: Format) throws(RunError) {
        guard format == .har, folder == nil else { return }
        throw RunError(
            .unreadableRun,
            "an HTTP Archive needs the requests and responses in the folder of the results, which the run does not have"
        )
    }

    private var reported: ReportedRun { ReportedRun(result, in: folders.first) }

    /// The folder, if the results were written.
    private var folders: [String] { folder.map { [$0] } ?? [] }
}
