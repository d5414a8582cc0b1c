#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why a file could not be made.
package struct NewFileError: Error, Sendable, Equatable {
    /// The system's error number.
    let number: Int32

    /// Whether something with that path was there already.
    package var isThere: Bool { number == EEXIST }

    /// Whether the folder that it should be in is missing.
    package var lacksFolder: Bool { number == ENOENT || number == ENOTDIR }

    /// In a few words, without the path.
    package var message: String { String(cString: strerror(number)) }
}

/// Makes files that were not there before.
package enum NewFile {
    /// Writes a new file. Nothing that is there is ever touched, and a file that cannot be written whole is taken away.
    package static func write(_ bytes: [UInt8], to path: String) throws(NewFileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw NewFileError(number: errno) }
        var offset = 0
        var failure: Int32 = 0
        while offset < bytes.count, failure == 0 {
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                    Glibc.write(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
                #else
                    Darwin.write(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
                #endif
            }
            if count > 0 { offset += count } else if count == 0 || errno != EINTR { failure = count < 0 ? errno : EIO }
        }
        // Some file systems tell only here that there was no room.
        if close(descriptor) != 0, failure == 0 { failure = errno }
        guard failure != 0 else { return }
        remove(path)
        throw NewFileError(number: failure)
    }

    /// Takes away a file that was written just now.
    package static func remove(_ path: String) {
        unlink(path)
    }
}
