import Synchronization
import WaybillPlatform
package import WaybillRuntime

/// Writes small files as a whole.
package enum FileContent {
    /// Replaces a file atomically by one that only its owner may read, and waits until it is on the disk. Throws the system's
    /// error.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        try FileDraft(of: path).finish(with: bytes)
    }
}

/// A file beside another one, which it replaces when it has its content. Only its owner may read it.
package final class FileDraft: Sendable {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private let isFinished = Mutex(false)

    /// Creates the file. Throws the system's error.
    ///
    /// - Parameter room: How many bytes of the disk are reserved for the content.
    package init(of path: String, room: Int = 0) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(ENOENT) }
        (descriptor, temporary) = TemporaryFile.create(beside: path, permissions: 0o600)
        self.path = path
        guard descriptor >= 0 else { throw .last }
        if room > 0 { try OpenFile.write(Array(repeating: 0, count: room), to: descriptor) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        if !isFinished.withLock(\.self) { unlink(temporary) }
        close(descriptor)
    }

    /// Writes the content, waits until it is on the disk, and replaces the other file. Called once.
    package func finish(with bytes: [UInt8]) throws(SystemError) {
        guard ftruncate(descriptor, off_t(bytes.count)) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw .last }
        try OpenFile.write(bytes, to: descriptor)
        guard fsync(descriptor) == 0 else { throw .last }
        try FileReplacement.move(temporary, to: path)
        isFinished.withLock { $0 = true }
        // Not every file system can do this.
        let folder = open(FileContents.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            _ = fsync(folder)
            close(folder)
        }
    }
}
