import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlatform
import WaybillResults
import WaybillRuntime

/// The reports that are written about a run.
struct ReportOptions: ParsableArguments {
    /// One report: a format and the file that it is written to, or annotations for GitHub Actions.
    enum Request: Sendable {
        case file(any RunReport.Type, path: String)
        case github

        /// The paths of standard output. It is written to as such: as files, they would be opened a second time, and
        /// written to from their start.
        private static let standardOutputs: Set = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]

        /// Returns the report in a format, to a file or standard output.
        static func report(_ format: any RunReport.Type, to path: String) -> Request {
            .file(format, path: standardOutputs.contains(path) ? "-" : path)
        }

        /// The path of the file; '-' is standard output.
        var path: String? { if case .file(_, let path) = self { path } else { nil } }
    }

    @Option(
        help: ArgumentHelp(
            """
            Write a report after the run, as NAME=FILE. NAME is coverage, har, html, json, junit, markdown, prometheus or tap; \
            '-' as FILE is standard output. May be repeated, or given several reports separated by commas. 'github' annotates the \
            failures in the manifest for GitHub Actions, which is the default in its workflows.
            """,
            valueName: "name=file"
        ),
        completion: .candidates { ReportCompletions.requests($0.prefix) }
    )
    var report: [String] = []

    @Option(
        help: ArgumentHelp(
            "Fail if less than this share of the operations of an OpenAPI document was called, in percent.",
            valueName: "percent"
        )
    )
    var minCoverage: Int?

    /// Whether one of the reports has every request.
    var needsExchanges: Bool {
        (try? requests())?.contains { if case .file(let format, _) = $0 { format == HARReport.self } else { false } }
            == true
    }

    func validate() throws {
        if let minCoverage { try Self.validate(minCoverage: minCoverage) }
        try Self.validate(try requests())
    }

    /// Throws a usage error if a minimum for the coverage is not a share.
    static func validate(minCoverage: Int) throws {
        if !(1...100).contains(minCoverage) { throw ValidationError("--min-coverage must be from 1 to 100.") }
    }

    /// Throws the exit status if `--min-coverage` is not reached by each document of some runs that passed.
    func checkCoverage(of runs: [ReportedRun], _ output: Output) throws {
        guard let minCoverage else { return }
        try Self.check(Self.coverage(of: runs), reaches: minCoverage, output)
    }

    private static func coverage(of runs: [ReportedRun]) -> [ContractCoverage] {
        ContractCoverage.combined(runs.map(\.result.coverage))
    }

    /// Throws the exit status unless there are documents, and each of them reaches a minimum.
    static func check(_ documents: [ContractCoverage], reaches minimum: Int, _ output: Output) throws {
        let messages = shortfalls(of: documents, below: minimum)
        if messages.isEmpty { return }
        for message in messages { output.writeError("\(message)\n") }
        throw ExitStatus.failed
    }

    /// Returns why some documents do not reach a minimum.
    static func shortfalls(of documents: [ContractCoverage], below minimum: Int) -> [String] {
        if documents.isEmpty { return ["--min-coverage: no operation of an OpenAPI document was called"] }
        return documents.filter { $0.percent < minimum }.map { document in
            "the coverage of \(PrintableText.oneLine(document.document)) is \(document.percent) %, below the "
                + "\(minimum) % of --min-coverage"
        }
    }

    /// Throws a usage error if two reports have the same file.
    static func validate(_ requests: [Request]) throws {
        guard let text = errors(of: requests, with: RunFileList(checksOtherRuns: false)).first?.headline else { return }
        throw ValidationError(text.prefix(1).uppercased() + text.dropFirst() + ".")
    }

    /// Reports the errors about the files of some runs, and about reports that would replace one of them. Throws the exit
    /// status if there are any.
    func check(_ files: RunFileList, _ output: Output) throws {
        try Self.check(try requests(), files, or: ExitStatus.invalid, output)
    }

    /// Reports the errors about some files, and about reports that would replace one of them. Throws the exit status if
    /// there are any.
    static func check(_ requests: [Request], _ files: RunFileList, or status: ExitCode, _ output: Output) throws {
        let errors = errors(of: requests, with: files)
        guard !errors.isEmpty else { return }
        output.report(errors)
        throw status
    }

    private static func errors(of requests: [Request], with files: RunFileList) -> [Diagnostic] {
        var files = files
        for path in requests.compactMap(\.path) { files.write(path, as: .report) }
        // A report that is the summary itself is written before it is added to.
        if let path = summary(of: requests), !requests.contains(where: { $0.path == path }) {
            files.write(path, as: .summary)
        }
        return files.errors
    }

    /// The files of some reports, with the job summary.
    static func paths(of requests: [Request]) -> [String] {
        (requests.map(\.path) + [summary(of: requests)]).compactMap(\.self)
    }

    /// The file for the job summary of GitHub Actions; `nil` if none is added.
    private static func summary(of requests: [Request]) -> String? {
        let isAnnotated = Output.annotates || requests.contains { if case .github = $0 { true } else { false } }
        return isAnnotated ? ProcessVariables.all["GITHUB_STEP_SUMMARY"].flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// Writes the reports, unless one would replace a file of the runs. If one cannot be written, reports the reason and
    /// throws the exit status.
    func write(for runs: [ReportedRun], _ output: Output) throws {
        let requests = try requests()
        let folders = runs.compactMap(\.folder)
        var files = RunFileList()
        for folder in folders { files.addResults(in: folder) }
        files.addRecorded(in: folders, for: Self.paths(of: requests))
        try Self.check(requests, files, or: ExitStatus.notRun, output)
        try Self.write(requests, for: runs + coverageCheck(of: runs), output)
    }

    /// The check of `--min-coverage` as a run, if it fails and everything else has passed.
    private func coverageCheck(of runs: [ReportedRun]) -> [ReportedRun] {
        guard let minCoverage, runs.allSatisfy({ $0.result.outcome == .passed }) else { return [] }
        let messages = Self.shortfalls(of: Self.coverage(of: runs), below: minCoverage)
        if messages.isEmpty { return [] }
        let reason = Redactor().text(messages.joined(separator: "; "))
        return [ReportedRun(ofCheck: "coverage", "--min-coverage \(minCoverage)", failedBecause: reason)]
    }

    /// Writes reports and, in a GitHub Actions workflow, the annotations and the job summary.
    static func write(
        _ requests: [Request],
        for runs: [ReportedRun],
        _ output: Output
    ) throws {
        var annotates = Output.annotates
        var files: [(format: any RunReport.Type, path: String)] = []
        var errors: [Diagnostic] = []
        for request in requests {
            switch request {
            case .github: annotates = true
            case .file(let format, path: "-"): errors += try print(format, for: runs, output)
            case .file(let format, let path): files.append((format, path))
            }
        }
        errors += write(files, for: runs)
        if annotates {
            let results = runs.map(\.result)
            output.writeError(GitHubAnnotations.commands(for: results, Output.githubPaths), as: .annotations)
            if !Output.isErrorWritten {
                errors.append(Diagnostic("run-error", "could not write the annotations to standard error", at: nil))
            }
            if let path = summary(of: requests), let error = append(MarkdownReport.document(for: runs), to: path) {
                errors.append(Diagnostic("run-error", "cannot write the summary to '\(path)': \(error)", at: nil))
            }
        }
        guard errors.isEmpty else {
            output.report(errors)
            throw ExitStatus.notRun
        }
    }

    /// Writes a report to standard output; returns the reason if the report is incomplete. Throws the exit status if
    /// standard output cannot be written to.
    private static func print(
        _ format: any RunReport.Type,
        for runs: [ReportedRun],
        _ output: Output
    ) throws -> [Diagnostic] {
        let content: OutputContent =
            format == JSONReport.self || format == HARReport.self || format == CoverageReport.self ? .json : .text
        var outputError: (any Error)?
        do throws(ResultsError) {
            try format.write(runs) { piece in
                do { try output.writeResult(piece, as: content) } catch { outputError = error }
            }
        } catch {
            return [diagnostic(error)]
        }
        if let outputError { throw outputError }
        return []
    }

    /// Writes a report to a file; returns the error if that fails.
    private static func write(_ format: any RunReport.Type, to path: String, for runs: [ReportedRun]) -> Diagnostic? {
        do throws(ResultsError) {
            try format.write(runs, toFile: path)
            return nil
        } catch {
            return diagnostic(error)
        }
    }

    /// Writes reports to files and returns the errors. Writes them concurrently, because an HTTP Archive takes as long
    /// as all the others together.
    private static func write(
        _ files: [(format: any RunReport.Type, path: String)],
        for runs: [ReportedRun]
    ) -> [Diagnostic] {
        guard files.count > 1 else { return files.compactMap { write($0.format, to: $0.path, for: runs) } }
        return waiting {
            await withTaskGroup(of: (index: Int, error: Diagnostic?).self) { group in
                for (index, file) in files.enumerated() {
                    group.addTask(executorPreference: globalConcurrentExecutor) {
                        (index, write(file.format, to: file.path, for: runs))
                    }
                }
                var errors: [(index: Int, error: Diagnostic?)] = []
                for await end in group { errors.append(end) }
                return errors.sorted { $0.index < $1.index }.compactMap(\.error)
            }
        }
    }

    private static func diagnostic(_ error: ResultsError) -> Diagnostic {
        Diagnostic("run-error", "could not write the report: \(error)", at: nil)
    }

    /// Appends a string to a file that other steps of the workflow write to as well; returns the system's error message
    /// if that fails.
    private static func append(_ text: String, to path: String) -> String? {
        // Without O_NONBLOCK, opening a pipe waits for a reader.
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { return SystemError.last.description }
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        guard let file = unsafe fdopen(descriptor, "a") else { return SystemError.last.description }
        let isWritten = unsafe fputs(text, file) >= 0
        return unsafe fclose(file) == 0 && isWritten ? nil : SystemError.last.description
    }

    private func requests() throws -> [Request] {
        try report.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { text in
            if text == "github" { return .github }
            let names = RunReports.all.map { $0.name }.joined(separator: ", ")
            guard let equals = text.firstIndex(of: "="), !text[equals...].dropFirst().isEmpty else {
                throw ValidationError(
                    "--report takes NAME=FILE or github, not '\(text)'. The names are \(names)."
                )
            }
            let (name, path) = (String(text[..<equals]), String(text[equals...].dropFirst()))
            guard let format = RunReports.named(name) else {
                throw ValidationError("'\(name)' is not a report format. The formats are \(names).")
            }
            return .report(format, to: path)
        }
    }
}
