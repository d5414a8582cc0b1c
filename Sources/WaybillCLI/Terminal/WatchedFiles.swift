import Synchronization
import WaybillJSON
import WaybillManifest
import WaybillRuntime

/// Reads files and remembers their statuses to detect changes, for `--watch`.
///
/// Files are compared by modification time and size, a few times a second. File system notifications would be no
/// simpler, and network file systems have none.
final class WatchedFiles: ManifestFileSystem {
    /// The status of each file just before it was first read; `nil` if it was not found.
    private let statuses = Mutex<[CodePoints: FileStatus?]>([:])

    func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        add(path)
        return try LocalFiles().read(path, limit: limit, acceptsPipes: acceptsPipes)
    }

    /// Adds a file that other code reads.
    func add(_ path: String) {
        let status = try? FileStatus(of: path)
        let path = CodePoints(path)
        statuses.withLock { if $0.index(forKey: path) == nil { $0[path] = .some(status) } }
    }

    /// The number of files.
    var count: Int { statuses.withLock(\.count) }

    /// Whether a file has changed, was created or was removed.
    var haveChanged: Bool {
        statuses.withLock { statuses in statuses.contains { (try? FileStatus(of: $0.key.text)) != $0.value } }
    }

    /// Whether a file that was found before is missing, or is a folder.
    var areMissing: Bool {
        statuses.withLock { statuses in
            statuses.contains { $0.value?.kind == .file && (try? FileStatus(of: $0.key.text))?.kind != .file }
        }
    }

    /// The current statuses of the files, to detect when a change is complete.
    var current: [CodePoints: FileStatus] {
        let paths = statuses.withLock { Array($0.keys) }
        return paths.reduce(into: [:]) { $0[$1] = try? FileStatus(of: $1.text) }
    }
}
