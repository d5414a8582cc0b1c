import ArgumentParser
import WaybillDiagnostics
import WaybillFormats
import WaybillPipeline
import WaybillResults
import WaybillRuntime

/// `waybill runs`
struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "Lists or removes earlier runs.",
        subcommands: [List.self, Prune.self],
        defaultSubcommand: List.self
    )

    /// `waybill runs list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists earlier runs, the newest first.",
            discussion: """
                Lists the folders that are named like runs. The runs of several manifests are below the run that \
                contains them. An 'unfinished' run was killed or stopped; 'waybill resume' continues it.
                """
        )

        @Argument(help: "The folder that the folders of the runs are in.", completion: .directory)
        var folder = RunFolders.usual

        func run() throws {
            let output = Output(noColour: true)
            let rows = try runs(in: folder, output).flatMap(rows)
            let texts = rows.map { $0.map(PrintableText.oneLine) }
            // The last column is as wide as its text.
            let widths = (0..<Self.columns - 1).map { column in
                texts.map { PrintableText.columns(of: $0[column]) }.max() ?? 0
            }
            for row in texts {
                var line = ""
                for (text, width) in zip(row, widths) {
                    line += text + String(repeating: " ", count: width - PrintableText.columns(of: text) + 2)
                }
                line += row[Self.columns - 1]
                while line.last == " " { line.removeLast() }
                output.write("\(line)\n")
            }
        }

        /// The number of columns: name, outcome, counts, age, manifest.
        private static let columns = 5

        /// Returns the row of a run, or those of a suite and its runs.
        private func rows(of id: RunID) -> [[String]] {
            let path = "\(folder)/\(id)"
            let age = id.startedAt.map { Self.age($0.duration(to: .now())) } ?? ""
            guard let suite = SuiteFolder(at: path) else {
                return [row(of: path, named: id.description, manifest: "", age: age)]
            }
            let summary = SuiteSummary(of: suite)
            let outcome =
                OldRuns.isRunning(id, in: folder)
                ? "running"
                : summary.failed > 0
                    ? "failed" : summary.passed == suite.members.count ? "passed" : "unfinished"
            let members = suite.members.map { member in
                let name = String(member.folder.dropFirst(path.count + 1))
                return row(of: member.folder, named: "  \(name)", manifest: member.manifest, age: "")
            }
            return [[id.description, outcome, summary.text, age, ""]] + members
        }

        /// Returns the row of a run.
        ///
        /// - Parameter manifest: The manifest of a run that was not started.
        private func row(of path: String, named name: String, manifest: String, age: String) -> [String] {
            guard let entry = RunFolders.entry(of: path) else {
                return [name, RunFolders.missingResult(of: path) != nil ? "unreadable" : "not run", "", age, manifest]
            }
            let outcome = entry.result?.outcome.rawValue ?? (entry.isRunning ? "running" : "unfinished")
            let counts = entry.result.map { "\($0.counts.summary) in \($0.time.timeText)" } ?? ""
            return [name, outcome, counts, age, entry.description]
        }

        /// Returns an age in the largest unit that fits, such as `3 days ago`.
        static func age(_ age: Duration) -> String {
            let seconds = age.components.seconds
            for (unit, name) in [(86_400, "day"), (3_600, "hour"), (60, "minute")] as [(Int64, String)]
            where seconds >= unit {
                let count = seconds / unit
                return "\(count) \(name)\(count == 1 ? "" : "s") ago"
            }
            return "just now"
        }
    }

    /// `waybill runs prune`
    struct Prune: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Removes the results of earlier runs.",
            discussion: """
                Removes only folders that are named like runs and have files of one, with everything in them. With both \
                options, a run is removed only if it is older than AGE and not among the newest. Runs that are still \
                running or whose folder contains another run, the cache and states are kept.
                """
        )

        /// A duration such as `7d`.
        struct Age: ExpressibleByArgument {
            let seconds: Int64

            init?(argument: String) {
                let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
                guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()),
                    count >= 0
                else { return nil }
                let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
                guard !overflow else { return nil }
                self.seconds = seconds
            }
        }

        @Option(help: "Keep this many of the newest runs.")
        var keep: Int?

        @Option(
            help: ArgumentHelp(
                "Remove runs that started longer ago than this, such as 12h, 7d or 4w.",
                valueName: "age"
            )
        )
        var olderThan: Age?

        @Argument(help: "The folder that the folders of the runs are in.", completion: .directory)
        var folder = RunFolders.usual

        func validate() throws {
            if keep == nil, olderThan == nil {
                throw ValidationError("Name the runs to remove: --keep N, --older-than AGE, or both.")
            }
            if let keep, keep < 0 { throw ValidationError("--keep must not be negative.") }
        }

        func run() throws {
            let output = Output(noColour: true)
            let now = Timestamp.now()
            var errors: [Diagnostic] = []
            var removed = 0
            for id in try runs(in: folder, output).dropFirst(keep ?? 0) {
                let age = id.startedAt?.duration(to: now).components.seconds ?? 0
                guard olderThan.map({ age > $0.seconds }) ?? true else { continue }
                do throws(ResultsError) {
                    let obstacle = try OldRuns.remove(id, in: folder)
                    if obstacle == nil { removed += 1 }
                    guard let obstacle, obstacle != .isRunning else { continue }
                    let path = PrintableText.oneLine("\(folder)/\(id)")
                    let reason =
                        if case .contains(let other) = obstacle {
                            "it contains the run in '\(PrintableText.oneLine(other))'"
                        } else { "it has no files of a run" }
                    output.writeError("'\(path)' is not removed: \(reason)\n")
                } catch {
                    errors.append(Diagnostic("run-error", error.description, at: nil))
                }
            }
            OldRuns.removeUnusedOrder(in: folder)
            output.write("removed \(removed == 1 ? "1 run" : "\(removed) runs")\n")
            guard errors.isEmpty else {
                output.report(errors)
                throw ExitStatus.notRun
            }
        }
    }
}

/// Returns the runs and suites in a folder, the newest first. If there are none, reports that. Throws the exit status if
/// the folder cannot be read; the default folder need not exist.
private func runs(in folder: String, _ output: Output) throws -> [RunID] {
    do throws(FileError) {
        let isMissing = folder == RunFolders.usual && (try? FileStatus(of: folder)) == nil
        let runs = isMissing ? [] : try OldRuns.folders(in: folder)
        if runs.isEmpty { output.writeError("no runs in '\(PrintableText.oneLine(folder))'\n") }
        return runs
    } catch {
        throw output.notRun("cannot read '\(folder)': \(error.message)")
    }
}
