import Synchronization
import WaybillManifest
import WaybillRuntime

/// Reads files and remembers how they were, so that a change is noticed: for `--watch`.
///
/// Files are compared by the time and the size of their contents, a few times a second. Notifications of the system would be
/// no simpler, and network file systems have none.
final class WatchedFiles: ManifestFileSystem {
    /// The status of each file just before it was first read; `nil` for one that could not be found.
    private let statuses = Mutex<[String: FileStatus?]>([:])

    /// No files.
    init() {}

    func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        add(path)
        return try LocalFiles().read(path, limit: limit, acceptsPipes: acceptsPipes)
    }

    /// Adds a file that something else reads.
    func add(_ path: String) {
        let status = try? FileStatus(of: path)
        statuses.withLock { if $0.index(forKey: path) == nil { $0[path] = .some(status) } }
    }

    /// How many files there are.
    var count: Int { statuses.withLock(\.count) }

    /// Whether a file has changed, was created or was removed.
    var haveChanged: Bool {
        statuses.withLock { statuses in statuses.contains { (try? FileStatus(of: $0.key)) != $0.value } }
    }

    /// How the files are now, to find out when changes are complete.
    var current: [String: FileStatus] {
        let paths = statuses.withLock { Array($0.keys) }
        return paths.reduce(into: [:]) { $0[$1] = try? FileStatus(of: $1) }
    }
}
