package import WaybillFormats
import WaybillJSON
import WaybillPlatform
package import WaybillRuntime

/// Removes the folders of earlier runs.
package enum OldRuns {
    /// Returns the folders of runs and suites in a folder, the newest first: those whose name is that of a run. If the
    /// order in which they were created is not recorded, their names decide, and of those that started in the same second,
    /// the last changed comes first. A start in the future comes from a clock that was wrong; such runs come last.
    package static func folders(in parent: String, now: Timestamp = .now()) throws(FileError) -> [RunID] {
        let positions = RunOrder.positions(in: parent)
        let folders = try FolderListing.names(in: parent, limit: .max).compactMap {
            name -> (id: RunID, time: Duration, position: Int?)? in
            guard let id = RunID(name), let status = try? FileStatus(of: "\(parent)/\(name)", followsLinks: false),
                status.kind == .folder
            else { return nil }
            return (id, status.modifiedAt, positions[CodePoints(name)])
        }
        return folders.sorted { first, second in
            // A run without a position is older than the record of the order.
            if first.position != second.position { return first.position ?? -1 > second.position ?? -1 }
            let (start, other) = (first.id.startedAt, second.id.startedAt)
            guard let start, let other, start != other else { return first.time > second.time }
            if (start > now) != (other > now) { return other > now }
            return start > other
        }.map(\.id)
    }

    /// Whether the run in a folder, or a run in the folder of a suite, is still running.
    package static func isRunning(_ id: RunID, in parent: String) -> Bool {
        let folder = "\(parent)/\(id)"
        return RunFolder.isLocked(folder) || OutputFile.isLocked("\(folder)/.")
            || SuiteFolder(at: folder)?.members.contains { RunFolder.isLocked($0.folder) } == true
    }

    /// Whether a folder with the name of a run has none of a run's files, but others. Someone else has put them there.
    private static func isForeign(_ folder: String) -> Bool {
        let names = (try? FolderListing.names(in: folder, limit: .max)) ?? []
        let own = RunFileNames.all.union([FolderContents.mergedJournal])
        return !names.isEmpty && own.isDisjoint(with: names)
    }

    /// Returns the folder of a run or a suite that is inside the folder of another one, of which it is no part; `nil` if there is
    /// none.
    private static func otherRun(inside folder: String, except members: Set<CodePoints>) -> String? {
        for name in (try? FolderListing.names(in: folder, limit: .max)) ?? [] {
            let path = "\(folder)/\(name)"
            guard (try? FileStatus(of: path, followsLinks: false))?.kind == .folder else { continue }
            if !members.contains(CodePoints(path)), FolderContents.isOfRun(path) { return path }
            if let other = otherRun(inside: path, except: members) { return other }
        }
        return nil
    }

    /// Why the folder of a run is not removed.
    package enum Obstacle: Sendable, Equatable {
        /// The run, or one of the suite, is running.
        case isRunning
        /// The folder contains the run or suite in this folder.
        case contains(String)
        /// It has no files of a run.
        case isForeign
    }

    /// Removes a run's folder with its content, and the link `latest` if it points there. Links in the folder are
    /// removed, but not their targets.
    ///
    /// The run and its folder are locked until they are removed, so that no process resumes or replaces the run.
    ///
    /// - Returns: Why the folder is not removed; `nil` if it is.
    @discardableResult
    package static func remove(_ id: RunID, in parent: String) throws(ResultsError) -> Obstacle? {
        let path = "\(parent)/\(id)"
        let folder = try? OutputFile(path, .folder)
        if folder?.lock() == false { return .isRunning }
        let members = SuiteFolder(at: path)?.members.map(\.folder) ?? []
        if members.contains(where: RunFolder.isLocked) { return .isRunning }
        let journal = try? OutputFile("\(path)/\(FolderContents.journal)", .existing)
        if journal?.lock() == false { return .isRunning }
        if let other = otherRun(inside: path, except: Set(members.map { CodePoints($0) })) { return .contains(other) }
        if isForeign(path) { return .isForeign }
        try remove(path)
        withExtendedLifetime(folder) { withExtendedLifetime(journal) {} }
        let latest = "\(parent)/latest"
        if (try? FileStatus(of: latest, followsLinks: false))?.kind == .link, (try? FileStatus(of: latest)) == nil {
            unlink(latest)
        }
        return nil
    }

    /// Removes the record of the order of runs in a folder if no run is left.
    package static func removeUnusedOrder(in parent: String) {
        if (try? folders(in: parent))?.isEmpty == true { RunOrder.remove(in: parent) }
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
            throw ResultsError("cannot remove '\(path)': \(error.message)")
        }
        // As long as the folder exists, it has the files that show whose it is.
        let marks = [RunFileNames.suite, FolderContents.journal]
        for name in names where !marks.contains(name) { try remove("\(path)/\(name)") }
        for name in marks { try remove("\(path)/\(name)") }
        if unsafe rmdir(path) != 0, errno != ENOENT { throw ResultsError(cannot: "remove", path) }
    }
}
