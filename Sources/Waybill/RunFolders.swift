import WaybillFormats
package import WaybillResults
import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension SuiteFolder {
    /// The runs of all manifests for reports. A run that has not finished counts as failed, and one that was not started
    /// as skipped.
    package var reportedRuns: [ReportedRun] {
        members.map { member in
            if let run = RunFolders.entry(of: member.folder)?.reported { return run }
            let hasStarted = RunFolders.hasJournal(member.folder)
            return ReportedRun(notRun: member.manifest, because: hasStarted ? "the run has not finished" : nil)
        }
    }
}

/// The folders of earlier runs.
package enum RunFolders {
    /// The default folder for the folders of runs.
    package static let usual = "waybill-results"

    /// What the folder of a run contains.
    package struct Entry: Sendable {
        /// The folder.
        package var folder: String
        /// The result; `nil` for a run that is still running or was killed.
        package var result: RunResult?
        /// The content of its journal, if there is no result.
        package var record: RunRecord?

        /// The run for reports; `nil` if there is no result.
        package var reported: ReportedRun? { result.map { ReportedRun($0, in: folder) } }

        /// Whether the run is still running, if there is no result.
        package var isRunning: Bool { RunFolder.isLocked(folder) }

        /// When the run started.
        package var startedAt: String { (result?.startedAt ?? record?.startedAt)?.description ?? "" }
    }

    /// Returns the folder of a run or a suite.
    ///
    /// - Parameter run: The path of the folder, the name of the run, `latest`, or `latest-passed`.
    package static func folder(of run: String) -> String {
        let isFolder = [RunFileNames.journal, RunFileNames.suite].contains { exists("\(run)/\($0)") }
        if isFolder || run.contains("/") { return run }
        return "\(usual)/\(run == "latest-passed" ? latestPassed(in: usual) ?? run : run)"
    }

    /// Returns the newest run or suite of a folder in which everything passed.
    private static func latestPassed(in parent: String) -> String? {
        let names = (try? OldRuns.folders(in: parent)) ?? []
        return names.lazy.map(\.description).first { name in
            let folder = "\(parent)/\(name)"
            let folders = SuiteFolder(at: folder)?.members.map(\.folder) ?? [folder]
            return folders.allSatisfy { entry(of: $0)?.result?.outcome == .passed }
        }
    }

    /// Returns the suite in the folder of a run; `nil` if it is a single run.
    package static func suite(of run: String) -> SuiteFolder? { SuiteFolder(at: folder(of: run)) }

    /// Whether a run was started in a folder.
    package static func hasJournal(_ folder: String) -> Bool { exists("\(folder)/\(RunFileNames.journal)") }

    /// Returns why the results of a run cannot be read.
    package static func missingReason(of run: String) -> String {
        let folder = folder(of: run)
        if hasJournal(folder) {
            return damage(in: folder) ?? "the run has not finished; continue it with 'waybill resume \(folder)'"
        }
        if exists("\(folder)/\(RunFileNames.suite)") {
            return "'\(folder)/\(RunFileNames.suite)', the list of the manifests of this run, is damaged"
        }
        if run == "latest-passed" { return "no run in '\(usual)' has passed" }
        return run.contains("/")
            ? "there is no run in '\(run)'" : "there is no run '\(run)' in '\(usual)', nor in a folder '\(run)'"
    }

    /// Returns the run in a folder; `nil` if there is none.
    package static func entry(of folder: String) -> Entry? {
        let record = try? RunRecord(folder: folder)
        // The summary of a run that was resumed and then killed is out of date.
        let result = record == nil || record?.outcome != nil ? RunFolder.result(in: folder) : nil
        guard result != nil || record != nil else { return nil }
        return Entry(folder: folder, result: result, record: result == nil ? record : nil)
    }

    /// Returns why the journal in a folder cannot be read; `nil` if it can be.
    private static func damage(in folder: String) -> String? {
        do {
            _ = try RunRecord(folder: folder)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Returns the runs whose folders are in this folder, or in the folder of a suite in it, the newest first.
    package static func entries(in parent: String) -> [Entry] {
        names(in: parent).filter { $0 != "latest" }.flatMap { name in
            let folder = "\(parent)/\(name)"
            if let entry = entry(of: folder) { return [entry] }
            return SuiteFolder(at: folder)?.members.compactMap { entry(of: $0.folder) } ?? []
        }.sorted { $0.startedAt > $1.startedAt }
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
