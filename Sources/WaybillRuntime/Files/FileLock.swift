import Synchronization
import WaybillPlatform

/// A lock for a file that is replaced by renaming: the file `PATH.lock` beside it is locked, because renaming would also
/// replace a lock on the file itself. It excludes other processes, and other locks of this one, as long as it exists.
package final class FileLock: Sendable {
    /// How long a process waits for another one that has the lock, which it needs only while it writes the file.
    package static let longestWait = Duration.seconds(2)

    private let descriptor: Int32

    /// Returns the path of the file that is locked for a file.
    package static func path(for file: String) -> String { file + ".lock" }

    /// Whether a file is a lock, or a state, a cookie jar or a token file, beside which its empty lock stays.
    package static func protects(_ path: String) -> Bool {
        let lock = try? FileStatus(of: path.utf8.suffix(5).elementsEqual(".lock".utf8) ? path : Self.path(for: path))
        return lock?.kind == .file && lock?.size == 0
    }

    /// Waits until no other process has the lock, and takes it. Throws the system's error if the lock file cannot be
    /// created, and `EWOULDBLOCK` if another process still has the lock after some time. On a file system without
    /// locks, the lock excludes nothing.
    package init(waitingFor file: String, atMost longestWait: Duration = longestWait) throws(SystemError) {
        guard !file.utf8.contains(0) else { throw .noSuchFile }
        descriptor = open(Self.path(for: file), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw .last }
        let end = ContinuousClock.now + longestWait
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0, [EINTR, EWOULDBLOCK].contains(SystemError.last.errno) {
            guard ContinuousClock.now < end else { throw SystemError(EWOULDBLOCK) }
            usleep(10_000)
        }
    }

    deinit { close(descriptor) }
}

/// Reports once for each file that it is locked by another process and waited for, if that takes longer than a second.
package final class LockNotice: Sendable {
    private let reported = Mutex<Set<String>>([])
    private let report: @Sendable (_ path: String) -> Void

    /// Creates a notice that calls a function with the path, on any thread.
    package init(_ report: @escaping @Sendable (_ path: String) -> Void) {
        self.report = report
    }

    /// Notes how long a file was waited for until now.
    package func note(_ wait: Duration, for path: String) {
        guard wait >= .seconds(1), reported.withLock({ $0.insert(path).inserted }) else { return }
        report(path)
    }
}
