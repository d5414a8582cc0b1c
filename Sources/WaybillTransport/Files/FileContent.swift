import WaybillPlatform
import WaybillRuntime

/// Reads and writes small files as a whole.
enum FileContent {
    /// The bytes of a regular file. Throws the system's error, and `EFBIG` for a file over the limit.
    static func read(_ path: String, maximumBytes: Int) throws(SystemError) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw SystemError(ENOENT) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(EISDIR) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(EINVAL) }
        guard status.st_size <= maximumBytes else { throw SystemError(EFBIG) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return pread(descriptor, room.baseAddress, room.count, off_t(filled))
            }
            if count < 0 && SystemError.last.errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            guard count > 0 else { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    /// What there is at a path.
    enum Kind {
        case regular, other, missing
    }

    /// Returns what there is at a path, following links.
    static func kind(of path: String) -> Kind {
        var status = stat()
        guard stat(path, &status) == 0 else { return .missing }
        return status.st_mode & S_IFMT == S_IFREG ? .regular : .other
    }

    /// Replaces a file atomically by one that only its owner may read. Throws the system's error.
    static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(ENOENT) }
        let (descriptor, temporary) = TemporaryFile.create(beside: path, permissions: 0o600)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        if let error = writeAll(bytes, to: descriptor) {
            unlink(temporary)
            throw error
        }
        do {
            try FileReplacement.move(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> SystemError? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && SystemError.last.errno == EINTR { continue }
            guard count > 0 else { return .last }
            rest = rest.dropFirst(count)
        }
        return fsync(descriptor) == 0 ? nil : .last
    }
}
