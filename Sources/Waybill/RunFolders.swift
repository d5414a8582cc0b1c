import WaybillFormats
package import WaybillResults

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The folders of earlier runs.
package enum RunFolders {
    /// Where the folders of runs are, unless somebody asked for another place.
    package static let usual = "waybill-results"

    /// What is known of a run from its folder.
    package struct Entry: Sendable {
        /// The folder.
        package var folder: String
        /// What came of it; `nil` for a run that is going on or was killed.
        package var result: RunResult?
        /// What its journal says, where there is no result.
        package var record: RunRecord?

        /// The run for reports; `nil` where there is no result.
        package var reported: ReportedRun? { result.map { ReportedRun($0, in: folder) } }

        /// Whether the run is still running. Asked for only if there is no result.
        package var isRunning: Bool { RunFolder.isLocked(folder) }

        /// The moment that the run began.
        package var startedAt: String { (result?.startedAt ?? record?.startedAt)?.description ?? "" }
    }

    /// The folder that a person means: by its path, or by the name of the run, or `latest`.
    package static func folder(of run: String) -> String {
        exists("\(run)/events.ndjson") || run.contains("/") ? run : "\(usual)/\(run)"
    }

    /// The suite that a person means, if it is one: by its path, or by its name, or `latest`.
    package static func suite(of run: String) -> SuiteFolder? {
        let folder = run.contains("/") || exists("\(run)/suite.json") ? run : "\(usual)/\(run)"
        return SuiteFolder(at: folder)
    }

    /// What to say of a run that a person means and that is in no folder; `nil` if it is in one.
    package static func absence(of run: String) -> String? {
        if exists("\(folder(of: run))/events.ndjson") { return nil }
        return run.contains("/")
            ? "there is no run in '\(run)'" : "there is no run '\(run)' in '\(usual)', and none in a folder '\(run)'"
    }

    /// The run in a folder; `nil` where there is none.
    package static func entry(of folder: String) -> Entry? {
        let record = try? RunRecord(folder: folder)
        // The summary of a run that was resumed and killed then is not true any more.
        let result = record == nil || record?.outcome != nil ? RunFolder.result(in: folder) : nil
        guard result != nil || record != nil else { return nil }
        return Entry(folder: folder, result: result, record: result == nil ? record : nil)
    }

    /// Why the journal in a folder cannot be read; `nil` where it can, or there is none.
    package static func damage(in folder: String) -> String? {
        guard exists("\(folder)/events.ndjson") else { return nil }
        do {
            _ = try RunRecord(folder: folder)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The runs whose folders are in this one or in that of a suite in it, the newest first.
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
