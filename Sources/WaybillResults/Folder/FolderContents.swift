import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// The names of the files in a run's folder, and the functions that take over a folder without damaging other files in
/// it.
enum FolderContents {
    static let journal = RunFileNames.journal
    static let result = RunFileNames.result
    static let outputs = RunFileNames.outputs
    static let sources = RunFileNames.sources
    static let bodies = RunFileNames.bodies
    /// The journal of a merge that has not finished.
    static let mergedJournal = "events.ndjson.part"

    /// Creates a folder and its parents.
    static func make(_ path: String) throws(ResultsError) {
        guard let failed = NewFile.makeFolder(path) else { return }
        guard errno == EEXIST else { throw ResultsError(cannot: "create", failed) }
        if (try? FileStatus(of: path))?.kind != .folder {
            throw ResultsError("cannot write results to '\(path)': it is a file, not a folder")
        }
    }

    /// Creates the folder of a run or suite, and locks it with a function. `OldRuns` may remove a new folder until it is
    /// locked; then it is created again, at most this many times.
    static func make<Lock: ~Copyable>(
        _ path: String,
        attempts: Int = 100,
        _ lock: () throws(ResultsError) -> Lock
    ) throws(ResultsError) -> Lock {
        var attempts = attempts
        while true {
            try make(path)
            do throws(ResultsError) {
                return try lock()
            } catch {
                attempts -= 1
                guard attempts > 0, !exists(path) || OutputFile.isLocked("\(path)/.") else { throw error }
                usleep(10_000)
            }
        }
    }

    /// Takes over a folder for a new run: opens its journal, and removes the files of an earlier run.
    ///
    /// Until they are removed, the journal has an unfinished first line: if this process is killed, the earlier run is not
    /// continued without its files, and the line shows whose files they are.
    ///
    /// - Parameters:
    ///   - unfinished: Set to the earlier run, if it did not finish.
    ///   - isOfSuite: Whether this process has the lock of the suite in the folder, which it replaces.
    ///   - replacesRun: Whether an earlier run is replaced; otherwise, it is an error.
    static func claim(
        _ path: String,
        disk: Disk,
        replacing unfinished: inout RunID?,
        isOfSuite: Bool = false,
        replacesRun: Bool = true
    ) throws(ResultsError) -> OutputFile {
        let earlier = try lock(path, disk, replacing: &unfinished, isOfSuite: isOfSuite, replacesRun: replacesRun)
        let firstLine = try earlier.head(64 * 1024).prefix { $0 != UInt8(ascii: "\n") }
        let file = try earlier.continued(at: firstLine.count)
        try clear(path)
        // The list of a suite that this run replaces. Another suite replaces the list itself.
        if !isOfSuite, SuiteFolder(at: path) != nil { unlink("\(path)/\(RunFileNames.suite)") }
        try file.cut(to: 0)
        return file
    }

    /// Opens and locks the journal in a folder that a new run may take over; see `claim`. Changes nothing else.
    private static func lock(
        _ path: String,
        _ disk: Disk,
        replacing unfinished: inout RunID?,
        isOfSuite: Bool,
        replacesRun: Bool = true
    ) throws(ResultsError) -> OutputFile {
        try checkBodies(in: path)
        let existing = [journal, result, outputs, sources, bodies].filter {
            exists("\(path)/\($0)") && ($0 != bodies || !names(in: "\(path)/\(bodies)").isEmpty)
        }
        if SuiteFolder(at: path) != nil, !isOfSuite, OutputFile.isLocked("\(path)/.") {
            throw ResultsError("another process is running the manifests of '\(path)'")
        }
        let file = try OutputFile("\(path)/\(journal)", .any, disk: disk)
        guard file.lock() else {
            throw ResultsError("another run is writing its results to '\(path)'")
        }
        let head = try file.head(64 * 1024)
        // A run that was killed right after its start leaves an empty journal, or a part of its first line. One that a
        // full disk stopped also leaves a summary. A merge that was killed leaves its unfinished journal.
        let isFree =
            existing.contains(journal) && isUnfinished(head)
            && (Set(existing).isSubset(of: [journal, sources]) || RunFolder.result(in: path) != nil
                || exists("\(path)/\(mergedJournal)"))
        let earlier = runID(ofFirstLine: Array(head.prefix { $0 != UInt8(ascii: "\n") }))
        guard existing.isEmpty || isFree || earlier != nil else {
            // Other files stay untouched. If there was no journal, the new one is empty and is removed.
            if !existing.contains(journal) { unlink("\(path)/\(journal)") }
            let name = existing.first { $0 != journal } ?? journal
            throw ResultsError("'\(path)/\(name)' does not belong to an earlier run and is not replaced")
        }
        guard replacesRun || earlier == nil else {
            throw ResultsError("another process has started the run in '\(path)' in the meantime; try again")
        }
        if let earlier, try !hasFinished(file.tail(64 * 1024)) { unfinished = earlier }
        return file
    }

    /// Removes the files of earlier runs and suites from folders; other files stay. If a run cannot be removed, for
    /// example because it is still running, nothing is.
    ///
    /// Lists of suites are emptied first: if this process is killed, a suite that lost some of its runs cannot be resumed,
    /// as if these had not been started. They stay, because their permissions are those of the new files.
    static func removeRuns(_ paths: [String]) throws(ResultsError) {
        let paths = paths.filter { path in
            [journal, result, RunFileNames.suite].contains { exists("\(path)/\($0)") }
        }
        var unfinished: RunID?
        for path in paths {
            let isNew = !exists("\(path)/\(journal)")
            _ = try lock(path, .real, replacing: &unfinished, isOfSuite: true)
            if isNew { unlink("\(path)/\(journal)") }
        }
        for path in paths where SuiteFolder(at: path) != nil {
            try OutputFile.replaceDurably([("\(path)/\(RunFileNames.suite)", Array("{\"manifests\": []}\n".utf8))])
        }
        for path in paths {
            _ = try claim(path, disk: .real, replacing: &unfinished, isOfSuite: true)
            unlink("\(path)/\(journal)")
        }
    }

    /// Whether a folder is that of a run or a suite.
    static func isOfRun(_ path: String) -> Bool {
        if SuiteFolder(at: path) != nil || RunFolder.isLocked(path) { return true }
        let head = (try? file(journal, in: path).start(64 * 1024)) ?? []
        return runID(ofFirstLine: Array(head.prefix { $0 != UInt8(ascii: "\n") })) != nil
    }

    /// Throws if a folder is inside that of a run or a suite that is running, or of a run that has files there: both would
    /// write to it, and replace or remove each other's files.
    ///
    /// - Parameter own: The folder of the suite to which a run in the folder belongs.
    static func checkParents(of path: String, except own: String?) throws(ResultsError) {
        let own = own.map(FileContents.resolvedPath)
        let resolved = FileContents.resolvedPath(path)
        var folder = FileContents.folder(of: resolved)
        while folder != "/", folder != "." {
            if RunFolder.isLocked(folder) || isLockedSuite(folder), own?.hasSameCodePoints(as: folder) != true {
                throw ResultsError(
                    "cannot use '\(path)': another process is running in '\(folder)', which contains it; wait until it has finished, or choose another folder"
                )
            }
            if RunFiles.has(filesBelow: resolved, in: folder) {
                throw ResultsError(
                    "cannot use '\(path)': the run in '\(folder)' has files there; choose another folder"
                )
            }
            folder = FileContents.folder(of: folder)
        }
    }

    private static func isLockedSuite(_ path: String) -> Bool {
        exists("\(path)/\(RunFileNames.suite)") && OutputFile.isLocked("\(path)/.")
    }

    /// Notes that a sibling folder is the newest, and points the link `latest` to it, atomically. Anything else of that
    /// name is left alone.
    static func leadLatest(in parent: String, to name: String) throws(ResultsError) {
        RunOrder.add(name, in: parent)
        let path = "\(parent)/latest"
        if exists(path), !isLink(path) { return }
        let temporary = TemporaryFile.uniquePath(beside: path)
        guard unsafe symlink(name, temporary) == 0 else {
            // The link is a convenience, and some file systems do not support links.
            if errno == EPERM || errno == ENOTSUP || errno == ENOSYS { return }
            throw ResultsError(cannot: "create", path)
        }
        if unsafe rename(temporary, path) != 0 {
            let error = ResultsError(cannot: "create", path)
            unlink(temporary)
            throw error
        }
    }

    /// Whether bytes are an incomplete first line of a journal.
    private static func isUnfinished(_ head: [UInt8]) -> Bool {
        let start = Array("{\"seq\":1,\"at\":".utf8)
        return !head.contains(UInt8(ascii: "\n")) && (start.starts(with: head) || head.starts(with: start))
    }

    /// Returns the run whose journal has this first line; `nil` if the line is not that of a journal.
    private static func runID(ofFirstLine line: [UInt8]) -> RunID? {
        guard let event = try? JSONParser.ownFiles.parse(line), event["type"] == "run.started" else { return nil }
        return event["run"]?.string.flatMap(RunID.init)
    }

    /// Whether a journal that ends like this is of a run that passed or failed, not one that was killed or interrupted.
    private static func hasFinished(_ tail: [UInt8]) -> Bool {
        guard tail.last == UInt8(ascii: "\n"),
            let last = tail.split(separator: UInt8(ascii: "\n")).last,
            let event = try? JSONParser.ownFiles.parse(Array(last)), event["type"] == "run.finished"
        else { return false }
        return event["outcome"]?.string.flatMap(RunOutcome.init) != .interrupted
    }

    /// Throws if the folder for bodies is a link.
    static func checkBodies(in path: String) throws(ResultsError) {
        guard isLink("\(path)/\(bodies)") else { return }
        throw ResultsError("'\(path)/\(bodies)' is a symbolic link; bodies are not written through links")
    }

    /// Removes the files of an earlier run, except the journal. That of an unfinished merge is the last, because it shows
    /// whose files they are.
    private static func clear(_ path: String) throws(ResultsError) {
        clearTemporaries(path)
        let folder = "\(path)/\(bodies)"
        let paths =
            [result, outputs, sources].map { "\(path)/\($0)" }
            + names(in: folder).map { "\(folder)/\($0)" } + ["\(path)/\(mergedJournal)"]
        for path in paths where unlink(path) != 0 && errno != ENOENT {
            throw ResultsError(cannot: "replace", path)
        }
    }

    /// Removes the temporary files of a killed process, which were to be renamed to the own files of a run or a suite.
    static func clearTemporaries(_ path: String) {
        for folder in [path, "\(path)/\(bodies)"] {
            for name in names(in: folder) where isTemporary(name, inBodies: folder != path) {
                unlink("\(folder)/\(name)")
            }
        }
    }

    private static func isTemporary(_ name: String, inBodies: Bool) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(".tmp") else { return false }
        return inBodies
            || [journal, result, outputs, sources, RunFileNames.suite].contains { name.hasPrefix(".\($0).") }
    }

    /// Returns a file in the folder of a run or a suite. It is not read if a link leads out of the folder.
    static func file(_ name: String, in folder: String) -> LocalFile {
        LocalFile("\(folder)/\(name)", within: FolderBoundary(folder: folder, allowsOutside: false))
    }

    static func names(in folder: String) -> [String] {
        // Links are not followed: their targets do not belong to the run.
        isLink(folder) ? [] : (try? FolderListing.names(in: folder, limit: .max)) ?? []
    }

    /// Returns the sizes of the files in a folder, in bytes; an empty list if it cannot be read.
    static func sizes(in folder: String) -> [Int] {
        names(in: folder).compactMap { size(of: "\(folder)/\($0)") }
    }

    /// Returns the size of a file, in bytes; `nil` if it does not exist.
    static func size(of path: String) -> Int? { status(of: path)?.size }

    /// Returns the status of a file, a folder or a link; `nil` if there is nothing at the path.
    static func status(of path: String) -> FileStatus? { try? FileStatus(of: path, followsLinks: false) }

    static func exists(_ path: String) -> Bool { status(of: path) != nil }

    private static func isLink(_ path: String) -> Bool { status(of: path)?.kind == .link }
}
