import WaybillPlatform

/// Why a file could not be created.
package struct NewFileError: Error, Sendable, Equatable {
    /// The system's error number.
    let number: Int32

    /// Whether something already exists at the path.
    package var isThere: Bool { number == EEXIST }

    /// Whether the parent folder is missing.
    package var lacksFolder: Bool { number == ENOENT || number == ENOTDIR }

    /// The reason in a few words, without the path.
    package var message: String { String(cString: strerror(number)) }
}

/// Creates files that do not exist yet.
package enum NewFile {
    /// Writes a new file. An existing file is never changed, and a file that cannot be written completely is removed.
    package static func write(_ bytes: [UInt8], to path: String) throws(NewFileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw NewFileError(number: errno) }
        var offset = 0
        var failure: Int32 = 0
        while offset < bytes.count, failure == 0 {
            let count = bytes.withUnsafeBytes { buffer in
                WaybillPlatform.write(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
            }
            if count > 0 { offset += count } else if count == 0 || errno != EINTR { failure = count < 0 ? errno : EIO }
        }
        // Some file systems report only here that there was no space.
        if close(descriptor) != 0, failure == 0 { failure = errno }
        guard failure != 0 else { return }
        remove(path)
        throw NewFileError(number: failure)
    }

    /// Creates a folder and its parents. Returns the one that cannot be created, if any; `errno` has the reason, which
    /// may be that it exists.
    package static func makeFolder(_ path: String) -> String? {
        if mkdir(path, 0o777) == 0 { return nil }
        guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
            return path
        }
        if let parent = makeFolder(String(path[..<slash])), errno != EEXIST { return parent }
        return mkdir(path, 0o777) == 0 ? nil : path
    }

    /// Removes a file that was just written.
    package static func remove(_ path: String) {
        unlink(path)
    }
}
