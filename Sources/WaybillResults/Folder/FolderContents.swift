import WaybillJSON
import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files of a run's folder: their names, and how a folder becomes ours without harm to what is there.
enum FolderContents {
    static let journal = RunFileNames.journal
    static let result = RunFileNames.result
    static let outputs = RunFileNames.outputs
    static let sources = RunFileNames.sources
    static let bodies = RunFileNames.bodies

    /// Makes a folder and those above it.
    static func make(_ path: String) throws(ResultsError) {
        if mkdir(path, 0o777) == 0 { return }
        let code = errno
        if code == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex {
            try make(String(path[..<slash]))
            if mkdir(path, 0o777) == 0 { return }
        }
        guard code == EEXIST || errno == EEXIST else { throw ResultsError(cannot: "create", path) }
        if !isFolder(path) {
            throw ResultsError(path: path, "'\(path)' is a file, where a folder for results is needed")
        }
    }

    /// Takes a folder for a new run: opens its journal, and clears away what an earlier run left.
    ///
    /// - Parameter unfinished: Is set to the earlier run, if that has not finished.
    static func claim(
        _ path: String,
        disk: Disk,
        replacing unfinished: inout RunID?
    ) throws(ResultsError) -> OutputFile {
        let existing = [journal, result, outputs, sources, bodies].filter { exists("\(path)/\($0)") }
        let file = try OutputFile("\(path)/\(journal)", .any, disk: disk)
        guard file.lock() else {
            throw ResultsError(path: path, "another run is writing its results to '\(path)'")
        }
        let head = try file.head(64 * 1024)
        // A run that was killed at once leaves an empty journal, or a part of its first line.
        let isFree =
            existing.contains(journal) && Set(existing).isSubset(of: [journal, sources]) && isUnfinished(head)
        let earlier = runID(ofFirstLine: Array(head.prefix { $0 != UInt8(ascii: "\n") }))
        guard existing.isEmpty || isFree || earlier != nil else {
            // What is not ours stays as it was; the journal, if there was none, is our empty one.
            if !existing.contains(journal) { unlink("\(path)/\(journal)") }
            let name = existing.first { $0 != journal } ?? journal
            throw ResultsError(path: path, "'\(path)/\(name)' does not belong to an earlier run and is not replaced")
        }
        if let earlier, try !hasFinished(file.tail(64 * 1024)) { unfinished = earlier }
        try clear(path)
        try file.cut(to: 0)
        return file
    }

    /// Leads the link `latest` to a folder beside it, in one step. Something else of that name is left alone.
    static func leadLatest(in parent: String, to name: String) throws(ResultsError) {
        let path = "\(parent)/latest"
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK { return }
        let temporary = OutputFile.temporaryPath(beside: path)
        guard symlink(name, temporary) == 0 else {
            // The link is a convenience, and some file systems have none.
            if errno == EPERM || errno == ENOTSUP || errno == ENOSYS { return }
            throw ResultsError(cannot: "create", path)
        }
        if rename(temporary, path) != 0 {
            let error = ResultsError(cannot: "create", path)
            unlink(temporary)
            throw error
        }
    }

    /// Whether bytes are less than the first line of a journal.
    private static func isUnfinished(_ head: [UInt8]) -> Bool {
        let start = Array("{\"seq\":1,\"at\":".utf8)
        return !head.contains(UInt8(ascii: "\n")) && (start.starts(with: head) || head.starts(with: start))
    }

    /// The run whose journal has this first line; `nil` if it is none of a journal.
    private static func runID(ofFirstLine line: [UInt8]) -> RunID? {
        guard let event = try? JSONParser().parse(line), event["type"] == "run.started" else { return nil }
        return event["run"]?.string.flatMap(RunID.init)
    }

    /// Whether a journal with this end is that of a run that passed or failed: neither was killed nor interrupted.
    private static func hasFinished(_ tail: [UInt8]) -> Bool {
        guard tail.last == UInt8(ascii: "\n"),
            let last = tail.split(separator: UInt8(ascii: "\n")).last,
            let event = try? JSONParser().parse(Array(last)), event["type"] == "run.finished"
        else { return false }
        return event["outcome"]?.string.flatMap(RunOutcome.init) != .interrupted
    }

    /// Takes away the files of an earlier run, all but the journal.
    private static func clear(_ path: String) throws(ResultsError) {
        clearTemporaries(path)
        let folder = "\(path)/\(bodies)"
        let paths = [result, outputs, sources].map { "\(path)/\($0)" } + names(in: folder).map { "\(folder)/\($0)" }
        for path in paths where unlink(path) != 0 && errno != ENOENT {
            throw ResultsError(cannot: "replace", path)
        }
    }

    /// Removes what a run that was killed was writing: files that were to be renamed to one of a run's own.
    static func clearTemporaries(_ path: String) {
        for folder in [path, "\(path)/\(bodies)"] {
            for name in names(in: folder) where isTemporary(name, inBodies: folder != path) {
                unlink("\(folder)/\(name)")
            }
        }
    }

    private static func isTemporary(_ name: String, inBodies: Bool) -> Bool {
        guard name.hasPrefix("."), name.hasSuffix(".tmp") else { return false }
        return inBodies || [result, outputs, sources].contains { name.hasPrefix(".\($0).") }
    }

    private static func names(in folder: String) -> [String] {
        // A link is not followed: what it leads to is not ours.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The sizes of the files in a folder, in bytes; none where it cannot be read.
    static func sizes(in folder: String) -> [Int] {
        names(in: folder).compactMap { size(of: "\(folder)/\($0)") }
    }

    /// The size of a file, in bytes; `nil` where there is none.
    static func size(of path: String) -> Int? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
