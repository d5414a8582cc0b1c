import WaybillPlatform
package import WaybillRuntime

/// Writes small files as a whole.
package enum FileContent {
    /// Replaces a file atomically by one that only its owner may read, and waits until it is on the disk. Throws the system's
    /// error.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(ENOENT) }
        let (descriptor, temporary) = TemporaryFile.create(beside: path, permissions: 0o600)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        do throws(SystemError) {
            try OpenFile.write(bytes, to: descriptor)
            guard fsync(descriptor) == 0 else { throw .last }
            try FileReplacement.move(temporary, to: path)
            // Not every file system can do this.
            let folder = open(FileContents.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if folder >= 0 {
                _ = fsync(folder)
                close(folder)
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }
}
