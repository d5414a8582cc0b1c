import WaybillPlatform

/// A lock for a file that is replaced by renaming: the file `PATH.lock` beside it is locked, because renaming would also
/// replace a lock on the file itself. It excludes other processes, and other locks of this one, as long as it exists.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Returns the path of the file that is locked for a file.
    package static func path(for file: String) -> String { file + ".lock" }

    /// Waits until no other process has the lock, and takes it. Throws the system's error if the lock file cannot be
    /// created. On a file system without locks, the lock excludes nothing.
    package init(waitingFor file: String) throws(SystemError) {
        guard !file.utf8.contains(0) else { throw .noSuchFile }
        descriptor = open(Self.path(for: file), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw .last }
        while flock(descriptor, LOCK_EX) != 0, SystemError.last.errno == EINTR {}
    }

    deinit { close(descriptor) }
}
