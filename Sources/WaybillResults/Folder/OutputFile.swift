import WaybillData

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An open file that is written to; it is closed when it goes away.
struct OutputFile: ~Copyable, Sendable {
    /// How a file comes to be there.
    enum Mode {
        /// It is created, and must not have been there.
        case new
        /// It is created, or opened as it is; a symbolic link is refused.
        case any
    }

    /// The path that it was opened by.
    let path: String

    private let descriptor: Int32
    private let disk: Disk

    init(_ path: String, _ mode: Mode, disk: Disk = .real) throws(ResultsError) {
        self.disk = disk
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (mode == .new ? O_EXCL : 0)
        descriptor = open(path, flags, 0o666)
        self.path = path
        if descriptor < 0 { throw ResultsError(cannot: "create", path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes the file for this process; `false` if another one has it.
    func lock() -> Bool {
        // Some file systems have no locks: there, the file counts as free.
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// Gives the file free for other processes.
    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Reads from the beginning, at most this many bytes.
    func head(_ limit: Int) throws(ResultsError) -> [UInt8] {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initializedCount in
            count = pread(descriptor, buffer.baseAddress, limit, 0)
            initializedCount = max(0, count)
        }
        if count < 0 { throw ResultsError(cannot: "read", path) }
        return bytes
    }

    /// How many bytes the file has.
    func size() throws(ResultsError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ResultsError(cannot: "read", path) }
        return Int(status.st_size)
    }

    /// Writes all of the bytes behind what was written before.
    func write(_ bytes: [UInt8]) throws(ResultsError) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                    Glibc.write(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
                #else
                    Darwin.write(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
                #endif
            }
            if count > 0 {
                offset += count
            } else if count == 0 || errno != EINTR {
                throw ResultsError(cannot: "write", path, code: count == 0 ? EIO : errno)
            }
        }
    }

    /// Cuts the file to a length, and goes on writing there.
    func cut(to length: Int) throws(ResultsError) {
        guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
            throw ResultsError(cannot: "cut", path)
        }
    }

    /// Waits until what was written is on the disk. May take long.
    func sync() throws(ResultsError) {
        while true {
            switch disk.sync(descriptor, path) {
            // Devices and pipes have nothing to sync, and say so.
            case 0, EINVAL, ENOTSUP, EROFS: return
            case EINTR: continue
            case let code: throw ResultsError(cannot: "write", path, code: code)
            }
        }
    }
}

extension OutputFile {
    /// Writes a file whole or not at all: beside it first, then in its place.
    ///
    /// With `durably`, the new content is on the disk before it takes the old one's place, and this may take long.
    static func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(ResultsError) {
        let temporary = temporaryPath(beside: path)
        do throws(ResultsError) {
            let file = try OutputFile(temporary, .new)
            try file.write(bytes)
            if durably { try file.sync() }
            if rename(temporary, path) != 0 { throw ResultsError(cannot: "write", path) }
        } catch {
            unlink(temporary)
            // The user knows the file by its own name only.
            throw ResultsError(path: path, error.description.replacing(temporary, with: path))
        }
    }

    /// Waits until the names in the folder of a file are on the disk, as far as the file system can do that. May take long.
    static func syncFolder(of path: String) {
        let descriptor = open(FileContents.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }

    /// A hidden name in the same folder that nobody else uses.
    static func temporaryPath(beside path: String) -> String {
        let nameStart = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        let tail = String(UInt64.random(in: .min ... .max), radix: 36)
        return path[..<nameStart] + "." + path[nameStart...].prefix(40) + ".\(tail).tmp"
    }
}
