import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillResults

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The reports that are written about a run.
struct ReportOptions: ParsableArguments {
    /// One report: a format and the file that it is written to, or annotations for GitHub Actions.
    enum Request: Sendable {
        case file(any RunReport.Type, path: String)
        case github
    }

    @Option(
        help: ArgumentHelp(
            """
            Write a report when the run has finished, as NAME=FILE with har, html, json, junit, markdown or tap; FILE may be \
            '-' for standard output. The option may be repeated, and takes several reports separated by commas. 'github' \
            marks the failures in the manifest for GitHub Actions, where that also happens without the option.
            """,
            valueName: "name=file"
        )
    )
    var report: [String] = []

    func validate() throws { _ = try requests() }

    /// Writes the reports. Throws the exit status, after saying why, if one cannot be written.
    func write(for runs: [ReportedRun], _ output: Output) throws {
        try Self.write(try requests(), for: runs, output)
    }

    /// Writes some reports; in a workflow of GitHub Actions, the annotations and the summary of the job too.
    static func write(
        _ requests: [Request],
        for runs: [ReportedRun],
        _ output: Output
    ) throws {
        let variables = ProcessVariables.all
        var annotates = variables["GITHUB_ACTIONS"] == "true"
        var files: [File] = []
        var errors: [Diagnostic] = []
        for request in requests {
            switch request {
            case .github: annotates = true
            case .file(let format, path: "-"): errors += try print(format, for: runs, output)
            case .file(let format, let path): files.append(File(format: format, path: path))
            }
        }
        errors += write(files, for: runs)
        if annotates {
            let results = runs.map(\.result)
            output.writeError(GitHubAnnotations.commands(for: results))
            if let path = variables["GITHUB_STEP_SUMMARY"], !path.isEmpty {
                if let error = append(MarkdownReport.document(for: results), to: path) {
                    errors.append(Diagnostic("run-error", "the summary is not written to '\(path)': \(error)", at: nil))
                }
            }
        }
        guard errors.isEmpty else {
            output.report(errors)
            throw ExitStatus.notCarriedOut
        }
    }

    /// Writes a report to standard output; returns why it is not complete. Throws the exit status if that cannot be written.
    private static func print(
        _ format: any RunReport.Type,
        for runs: [ReportedRun],
        _ output: Output
    ) throws -> [Diagnostic] {
        var outputError: (any Error)?
        do throws(ResultsError) {
            try format.write(runs) { piece in
                do { try output.writeResult(piece) } catch { outputError = error }
            }
        } catch {
            return [diagnostic(error)]
        }
        if let outputError { throw outputError }
        return []
    }

    /// A report that is written to a file.
    private struct File: Sendable {
        let format: any RunReport.Type
        let path: String

        /// Writes it; returns why that failed.
        func write(for runs: [ReportedRun]) -> Diagnostic? {
            do throws(ResultsError) {
                try format.write(runs, toFile: path)
                return nil
            } catch {
                return ReportOptions.diagnostic(error)
            }
        }
    }

    /// Writes reports to files; returns why some failed. They are written at the same time, because an HTTP Archive takes as
    /// long as all the others.
    private static func write(_ files: [File], for runs: [ReportedRun]) -> [Diagnostic] {
        guard files.count > 1 else { return files.compactMap { $0.write(for: runs) } }
        return waiting {
            await withTaskGroup(of: (index: Int, error: Diagnostic?).self) { group in
                for (index, file) in files.enumerated() {
                    group.addTask(executorPreference: globalConcurrentExecutor) { (index, file.write(for: runs)) }
                }
                var errors: [(index: Int, error: Diagnostic?)] = []
                for await end in group { errors.append(end) }
                return errors.sorted { $0.index < $1.index }.compactMap(\.error)
            }
        }
    }

    private static func diagnostic(_ error: ResultsError) -> Diagnostic {
        Diagnostic("run-error", "the report is not written: \(error)", at: nil)
    }

    /// Appends a text to a file, which other steps of the workflow write to, too; the error in words.
    private static func append(_ text: String, to path: String) -> String? {
        guard let file = fopen(path, "a") else { return String(cString: strerror(errno)) }
        let isWritten = fputs(text, file) >= 0
        return fclose(file) == 0 && isWritten ? nil : String(cString: strerror(errno))
    }

    private func requests() throws -> [Request] {
        var paths: Set<String> = []
        return try report.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { text in
            if text == "github" { return .github }
            let names = RunReports.all.map { $0.name }.joined(separator: ", ")
            guard let equals = text.firstIndex(of: "="), !text[equals...].dropFirst().isEmpty else {
                throw ValidationError(
                    "--report takes NAME=FILE, not '\(text)'. The names are \(names), and github alone."
                )
            }
            let (name, path) = (String(text[..<equals]), String(text[equals...].dropFirst()))
            guard let format = RunReports.named(name) else {
                throw ValidationError("'\(name)' is not a format of reports. There is \(names).")
            }
            guard paths.insert(path).inserted else {
                throw ValidationError("Two reports would be written to '\(path)'.")
            }
            return .file(format, path: path)
        }
    }
}
