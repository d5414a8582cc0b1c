import WaybillPlatform

/// Creates files that do not exist yet.
package enum NewFile {
    /// Writes a new file. An existing file is never changed, and a file that cannot be written completely is removed.
    ///
    /// - Parameter permissions: Its permissions, before those are removed that the process does not give to new files.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        permissions: UInt32 = 0o666
    ) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(permissions))
        guard descriptor >= 0 else { throw .last }
        var failure: SystemError?
        do throws(SystemError) {
            try OpenFile.write(bytes, to: descriptor)
        } catch {
            failure = error
        }
        // Some file systems report only here that there was no space.
        if close(descriptor) != 0 { failure = failure ?? .last }
        guard let failure else { return }
        unlink(path)
        throw failure
    }

    /// Creates a folder and its parents. Returns the one that cannot be created, if any; `errno` has the reason, which
    /// may be that it exists.
    package static func makeFolder(_ path: String, permissions: UInt32 = 0o777) -> String? {
        if mkdir(path, mode_t(permissions)) == 0 { return nil }
        guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
            return path
        }
        if let parent = makeFolder(String(path[..<slash]), permissions: permissions), errno != EEXIST { return parent }
        return mkdir(path, mode_t(permissions)) == 0 ? nil : path
    }
}
