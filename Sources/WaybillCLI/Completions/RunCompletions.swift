import WaybillPipeline
import WaybillResults
import WaybillRuntime

/// Completes words of a command line with earlier runs and what they contain.
package enum RunCompletions {
    /// The maximum size of a summary that is read: completion must not take long.
    private static let maximumBytes = 4 << 20
    /// The maximum number of runs whose outcome is inspected.
    private static let maximumRuns = 20

    /// Returns the runs whose names start with a prefix, the newest first, after `latest` and `latest-passed` if these
    /// exist; then the folders of runs whose paths start with it. If there are none, returns other folders, in which
    /// there may be runs.
    ///
    /// - Parameter folder: The folder that the folders of the runs are in.
    package static func runs(_ prefix: String, in folder: String = RunFolders.usual) -> [String] {
        let ids = (try? OldRuns.folders(in: folder)) ?? []
        var names: [String] = []
        if (try? FileStatus(of: "\(folder)/\(RunFolders.latest)")) != nil { names.append(RunFolders.latest) }
        if ids.prefix(maximumRuns).contains(where: { hasPassed("\(folder)/\($0)") }) {
            names.append(RunFolders.latestPassed)
        }
        let folders = PathCompletions.paths(prefix, foldersOnly: true)
        let runs = Candidates.matching(prefix, in: names + ids.map(\.description)) + folders.filter(isRun)
        return runs.isEmpty ? folders : runs
    }

    /// Returns the ids of the steps of a run that start with a prefix; none for a run of several manifests.
    package static func steps(_ prefix: String, of run: String) -> [String] {
        Candidates.matching(prefix, in: result(in: RunFolders.folder(of: run))?.steps.map(\.id) ?? [])
    }

    /// Whether a folder, whose path ends with a slash, is that of a run or a suite.
    private static func isRun(_ folder: String) -> Bool {
        [RunFileNames.journal, RunFileNames.result, RunFileNames.suite].contains {
            (try? FileStatus(of: folder + $0)) != nil
        }
    }

    /// Whether everything passed in the run or suite in a folder, as far as small summaries show.
    private static func hasPassed(_ folder: String) -> Bool {
        let folders = SuiteFolder(at: folder)?.members.map(\.folder) ?? [folder]
        return folders.allSatisfy { result(in: $0)?.outcome == .passed }
    }

    /// Returns the result of the run in a folder, unless its summary is large.
    private static func result(in folder: String) -> RunResult? {
        guard let status = try? FileStatus(of: "\(folder)/\(RunFileNames.result)"), status.kind == .file,
            status.size <= maximumBytes
        else { return nil }
        return RunFolder.result(in: folder)
    }
}
