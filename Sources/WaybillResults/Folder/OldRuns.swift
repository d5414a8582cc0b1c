package import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Removes the folders of earlier runs.
package enum OldRuns {
    /// The folders of runs and suites in a folder, the newest first: those that are named like a run.
    package static func folders(in parent: String) throws(FileError) -> [RunID] {
        try FolderListing.names(in: parent, limit: .max).compactMap { RunID($0) }
            .filter { (try? FileStatus(of: "\(parent)/\($0)", followsLinks: false))?.kind == .folder }
            .sorted(by: >)
    }

    /// Whether a run in a folder, or in that of a suite, is still running.
    package static func isRunning(_ id: RunID, in parent: String) -> Bool {
        let folder = "\(parent)/\(id)"
        return RunFolder.isLocked(folder)
            || SuiteFolder(at: folder)?.members.contains { RunFolder.isLocked($0.folder) } == true
    }

    /// Removes the folder of a run and all that is in it, and the link `latest` if it leads there. Links in it are removed,
    /// and what they lead to stays.
    package static func remove(_ id: RunID, in parent: String) throws(ResultsError) {
        try remove("\(parent)/\(id)")
        let latest = "\(parent)/latest"
        if (try? FileStatus(of: latest, followsLinks: false))?.kind == .link, (try? FileStatus(of: latest)) == nil {
            unlink(latest)
        }
    }

    private static func remove(_ path: String) throws(ResultsError) {
        guard let status = try? FileStatus(of: path, followsLinks: false) else { return }
        guard status.kind == .folder else {
            if unlink(path) != 0, errno != ENOENT { throw ResultsError(cannot: "remove", path) }
            return
        }
        let names: [String]
        do throws(FileError) {
            names = try FolderListing.names(in: path, limit: .max)
        } catch {
            throw ResultsError(path: path, "cannot remove '\(path)': \(error.message)")
        }
        for name in names { try remove("\(path)/\(name)") }
        if rmdir(path) != 0, errno != ENOENT { throw ResultsError(cannot: "remove", path) }
    }
}
