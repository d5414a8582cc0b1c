import WaybillPlatform

/// Creates the files that are written beside another one, which they then replace.
///
/// The owner of such a file holds a lock on it until it is in its place. What a killed process has left is therefore
/// recognised, and removed when the same file is replaced again.
package enum TemporaryFile {
    /// The maximum number of bytes of the other file's name in that of the temporary one.
    package static let longestStart = 40
    /// How many files beside one may have numbers in their names. Others have random names, and are not removed.
    private static let maximumNumber = 8

    /// Returns the hidden name of a temporary file in the same folder.
    package static func path(beside path: String, tail: String) -> String {
        let nameStart = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        let end = path.utf8.index(nameStart, offsetBy: longestStart, limitedBy: path.endIndex) ?? path.endIndex
        // The range of a string ends between two code points.
        return path[..<nameStart] + "." + path[nameStart..<end] + ".\(tail).tmp"
    }

    /// Returns the hidden name of a temporary file that no other process uses.
    package static func uniquePath(beside path: String) -> String {
        self.path(beside: path, tail: String(UInt64.random(in: .min ... .max), radix: 36))
    }

    /// Creates, opens and locks a file beside another one. It must be renamed or removed before it is closed.
    ///
    /// - Returns: Its path, and a descriptor for writing; -1 with `errno` if it cannot be created.
    package static func create(beside path: String, permissions: UInt32) -> (descriptor: Int32, path: String) {
        removeAbandoned(beside: path)
        for number in 0..<maximumNumber {
            let temporary = self.path(beside: path, tail: String(number))
            let descriptor = create(temporary, permissions)
            if descriptor < 0, errno == EEXIST { continue }
            // Another process may have considered it abandoned before it was locked.
            if descriptor < 0 || (isLocked(descriptor) ?? true) && isFile(descriptor, at: temporary) {
                return (descriptor, temporary)
            }
            close(descriptor)
        }
        let temporary = uniquePath(beside: path)
        return (create(temporary, permissions), temporary)
    }

    /// Removes the temporary files beside a file whose owners no longer exist.
    package static func removeAbandoned(beside path: String) {
        withAbandoned(beside: path) { unlink($0) }
    }

    /// Calls a function with the path of each temporary file beside a file whose owner no longer exists.
    package static func withAbandoned(beside path: String, _ body: (String) -> Void) {
        for number in 0..<maximumNumber {
            let temporary = self.path(beside: path, tail: String(number))
            let descriptor = open(temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if isLocked(descriptor) == true, isFile(descriptor, at: temporary) { body(temporary) }
            close(descriptor)
        }
    }

    private static func create(_ path: String, _ permissions: UInt32) -> Int32 {
        open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(permissions))
    }

    /// Locks an open file; `false` if another process has locked it, `nil` if the file system has no locks.
    private static func isLocked(_ descriptor: Int32) -> Bool? {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? true : errno == EWOULDBLOCK ? false : nil
    }

    /// Whether an open file still has its path.
    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (own, current) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &current) == 0
            && own.st_ino == current.st_ino && own.st_dev == current.st_dev
    }
}
