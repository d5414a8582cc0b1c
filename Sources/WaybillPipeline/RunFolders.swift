import WaybillDiagnostics
package import WaybillFormats
import WaybillJSON
import WaybillPlan
import WaybillPlatform
package import WaybillResults
import WaybillRuntime

extension SuiteFolder {
    /// The runs of all manifests for reports. A run that has not finished counts as failed, and one that was not started
    /// as skipped.
    ///
    /// - Parameter failedStarts: The folders of runs that could not be started.
    package func reportedRuns(failedStarts: Set<String> = []) -> [ReportedRun] {
        members.map { member in
            if let run = RunFolders.entry(of: member.folder)?.reported { return run }
            if failedStarts.contains(member.folder) {
                return ReportedRun(notRun: member.manifest, because: "the run could not be started")
            }
            return ReportedRun(
                notRun: member.manifest,
                because: RunFolders.missingResult(of: member.folder).map { Redactor().text($0.reason) }
            )
        }
    }
}

/// The folders of earlier runs.
package enum RunFolders {
    /// The default folder for the folders of runs.
    package static let usual = "waybill-results"

    /// The name of the newest run.
    package static let latest = "latest"

    /// The name of the newest run in which everything passed.
    package static let latestPassed = "latest-passed"

    /// What the folder of a run contains.
    package struct Entry: Sendable {
        /// The folder.
        package var folder: String
        /// The result; `nil` for a run that is still running or was killed.
        package var result: RunResult?
        /// The content of its journal, if there is no result.
        package var record: RunRecord?

        /// The results of its steps; if the run has none, those that its journal lists, and the paths of the steps that
        /// have not finished.
        package var recorded: (steps: [StepResult], unfinished: Set<String>) {
            if let result { return (result.steps, []) }
            let recorded = RecordedSteps(folder: folder)
            return (recorded.steps, recorded.unfinished)
        }

        /// The result; if the run has none, what its journal has. A run that has not finished counts as interrupted, and its
        /// last event as its end.
        package var summary: RunResult? {
            if let result { return result }
            guard let record else { return nil }
            var result = RunResult(
                id: record.id,
                manifest: record.manifest,
                environment: record.environment,
                part: RunPart(json: record.part)?.text,
                startedAt: record.startedAt,
                finishedAt: record.lastEventAt,
                time: record.time,
                outcome: record.outcome ?? .interrupted,
                steps: recorded.steps
            )
            result.isMocked = record.isMocked
            return result
        }

        /// The run for reports; `nil` if there is no result.
        package var reported: ReportedRun? { result.map { ReportedRun($0, in: folder) } }

        /// Whether the run is still running, if there is no result.
        package var isRunning: Bool { RunFolder.isLocked(folder) }

        /// The path of its manifest, as it was specified.
        package var manifest: String { result?.manifest ?? record?.manifest ?? "" }

        /// The path of its manifest, the part of the run that several processes share, such as `(shard 3/8)`, and `(mock)` for
        /// a run on the mock server.
        package var description: String {
            let part = result?.part ?? RunPart(json: record?.part)?.text
            let isMocked = result?.isMocked ?? record?.isMocked ?? false
            return manifest + (part.map { " (\($0))" } ?? "") + (isMocked ? " (mock)" : "")
        }

        /// When the run started.
        package var startedAt: Timestamp? { result?.startedAt ?? record?.startedAt }
    }

    /// Returns the folder of a run or a suite.
    ///
    /// - Parameter run: The path of the folder, the name of the run, `latest`, or `latest-passed`.
    package static func folder(of run: String) -> String {
        // An empty path would be the root folder.
        let isFolder = !run.isEmpty && [RunFileNames.journal, RunFileNames.suite].contains { exists("\(run)/\($0)") }
        if isFolder || run.contains("/") { return run }
        // The link changes with the next run.
        if run == latest, let path = FileContents.canonicalPath("\(usual)/\(latest)") {
            return "\(usual)/\(FileContents.name(of: path))"
        }
        return "\(usual)/\(run == latestPassed ? latestPassed(in: usual) ?? run : run)"
    }

    /// Returns the newest run or suite of a folder in which everything passed.
    private static func latestPassed(in parent: String) -> String? {
        let names = (try? OldRuns.folders(in: parent)) ?? []
        return names.lazy.map(\.description).first { hasPassed("\(parent)/\($0)") }
    }

    /// Returns the folder of the newest run or suite, other than the one in a folder, that is of the same manifests and
    /// in which everything passed; `nil` if there is none.
    package static func latestPassed(like folder: String) -> String? {
        let (manifests, own) = (manifests(of: folder), FileContents.canonicalPath(folder))
        let names = (try? OldRuns.folders(in: usual)) ?? []
        return names.lazy.map { "\(usual)/\($0)" }.first { other in
            FileContents.canonicalPath(other) != own && Self.manifests(of: other) == manifests && hasPassed(other)
        }
    }

    /// Whether everything passed in the run or suite in a folder.
    private static func hasPassed(_ folder: String) -> Bool {
        let folders = SuiteFolder(at: folder)?.members.map(\.folder) ?? [folder]
        return folders.allSatisfy { entry(of: $0)?.result?.outcome == .passed }
    }

    /// Returns the manifests of the run or suite in a folder.
    private static func manifests(of folder: String) -> Set<CodePoints> {
        let paths = SuiteFolder(at: folder)?.members.map(\.manifest) ?? entry(of: folder).map { [$0.manifest] } ?? []
        // The same manifest may be specified as 'a.yaml' and './a.yaml'.
        return Set(paths.map { CodePoints(FileContents.canonicalPath($0) ?? $0) })
    }

    /// Returns the run of a name or in a folder for reports, or those of a suite, and the folders that contain them.
    ///
    /// - Throws: ``RunError`` if there is no run that has finished.
    package static func reportedRuns(of run: String) throws(RunError) -> (runs: [ReportedRun], folders: [String]) {
        if let suite = suite(of: run) {
            return (suite.reportedRuns(), [suite.path] + suite.members.map(\.folder))
        }
        let folder = folder(of: run)
        guard let reported = entry(of: folder)?.reported else { throw missingRun(run) }
        return ([reported], [folder])
    }

    /// Returns the suite in the folder of a run; `nil` if it is a single run.
    package static func suite(of run: String) -> SuiteFolder? { SuiteFolder(at: folder(of: run)) }

    /// Whether the run in a folder has passed, and its state was stored for the next run.
    package static func isComplete(_ folder: String) -> Bool {
        entry(of: folder)?.result?.outcome == .passed && (try? RunRecord(folder: folder))?.isStateUnstored != true
    }

    /// Whether a run was started in a folder.
    package static func hasJournal(_ folder: String) -> Bool { exists("\(folder)/\(RunFileNames.journal)") }

    /// Returns why the merge in a folder is not a run; `nil` if there is no unfinished merge.
    package static func unfinishedMerge(in folder: String) -> RunError? {
        guard RunFolder.isUnfinishedMerge(folder) else { return nil }
        return RunError(
            .shards,
            "the merge into '\(folder)' has not finished",
            command: "; repeat it with 'waybill merge'"
        )
    }

    /// Returns why the results of a run cannot be read.
    package static func missingRun(_ run: String) -> RunError {
        let folder = folder(of: run)
        if let missing = missingResult(of: folder) { return missing.error }
        if exists("\(folder)/\(RunFileNames.suite)") {
            let list = "'\(folder)/\(RunFileNames.suite)', the list of the manifests of this run, is damaged"
            return RunError(.unreadableRun, "\(list), or their runs were being removed: run the manifests again")
        }
        if run == latestPassed { return RunError(.unreadableRun, "no run in '\(usual)' has passed") }
        return RunError(
            .unreadableRun,
            run.contains("/")
                ? "there is no run in '\(run)'" : "there is no run '\(run)' in '\(usual)', nor in a folder '\(run)'"
        )
    }

    /// Returns the run in a folder; `nil` if there is none.
    package static func entry(of folder: String) -> Entry? {
        let record = try? RunRecord(folder: folder)
        // The summary of a run that was resumed and then killed is out of date.
        let result = record == nil || record?.outcome != nil ? RunFolder.result(in: folder) : nil
        guard result != nil || record != nil && !hasDamagedResult(folder, record) else { return nil }
        return Entry(folder: folder, result: result, record: result == nil ? record : nil)
    }

    /// Returns why a run that was started in a folder has no result, for a report about it and as an error; `nil` if none
    /// was started.
    package static func missingResult(of folder: String) -> (reason: String, error: RunError)? {
        let record = try? RunRecord(folder: folder)
        if hasDamagedResult(folder, record) {
            let again = record == nil ? "" : "; 'waybill resume \(PrintableText.shellWord(folder))' writes it again"
            let message = "'\(folder)/\(RunFileNames.result)' is damaged"
            return ("its result is damaged", RunError(.unreadableRun, message, command: again))
        }
        guard hasJournal(folder) else { return nil }
        if let reason = unfinishedMerge(in: folder) { return ("the merge has not finished", reason) }
        if RunFolder.isLocked(folder) {
            let error = RunError(.runInProgress, "the run in '\(folder)' is still running")
            return ("the run is still running", error)
        }
        let unfinished = RunError(
            .unreadableRun,
            "the run has not finished",
            command: "; continue it with 'waybill resume \(PrintableText.shellWord(folder))'"
        )
        return ("the run has not finished", damage(in: folder) ?? unfinished)
    }

    /// Whether the summary in a folder cannot be read, although its run has finished as far as the journal shows.
    private static func hasDamagedResult(_ folder: String, _ record: RunRecord?) -> Bool {
        (record == nil || record?.outcome != nil) && exists("\(folder)/\(RunFileNames.result)")
            && RunFolder.result(in: folder) == nil
    }

    /// Returns why the journal in a folder cannot be read; `nil` if it can be.
    private static func damage(in folder: String) -> RunError? {
        do throws(RunError) {
            _ = try RunError.mapping(to: .unreadableRun) { try RunRecord(folder: folder) }
            return nil
        } catch {
            return error
        }
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
