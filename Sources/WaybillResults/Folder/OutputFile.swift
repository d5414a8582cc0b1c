import CPlatform
import WaybillRuntime

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
        /// It exists, and is only written to: a device or a pipe.
        case stream
    }

    /// The path that it was opened by.
    let path: String

    private let descriptor: Int32
    private let disk: Disk

    init(_ path: String, _ mode: Mode, disk: Disk = .real) throws(ResultsError) {
        self.disk = disk
        let flags =
            switch mode {
            case .new: O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_EXCL
            case .any: O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
            case .stream: O_WRONLY | O_CLOEXEC
            }
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

    /// Whether a process has taken the file at a path. A file that cannot be read counts as free.
    static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Gives the file free for other processes.
    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Reads from the beginning, at most this many bytes.
    func head(_ limit: Int) throws(ResultsError) -> [UInt8] { try read(limit, from: 0) }

    /// Reads the end, at most this many bytes.
    func tail(_ limit: Int) throws(ResultsError) -> [UInt8] { try read(limit, from: max(0, size() - limit)) }

    private func read(_ limit: Int, from offset: Int) throws(ResultsError) -> [UInt8] {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initializedCount in
            count = pread(descriptor, buffer.baseAddress, limit, off_t(offset))
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

    /// Has the system begin to bring to the disk what was written, so that a wait for it later is shorter.
    func beginSync() {
        waybill_begin_sync(descriptor)
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
    static func replace(_ path: String, with bytes: [UInt8]) throws(ResultsError) {
        let file = try NewFile(path, bytes)
        try file.takePlace()
    }

    /// Writes files whole or not at all, each of them once its content is on the disk. May take long.
    static func replaceDurably(_ files: [(path: String, bytes: [UInt8])]) throws(ResultsError) {
        var written: [NewFile] = []
        // The disk is at work on all of them while the first is waited for.
        for (path, bytes) in files { written.append(try NewFile(path, bytes, beginsSync: true)) }
        for file in written {
            try file.sync()
            try file.takePlace()
        }
    }

    /// Writes a file in pieces, whole or not at all, once its content is on the disk. May take long.
    ///
    /// A device or a pipe is written to as it is: a file in its place would be in the way of everybody who uses it.
    ///
    /// - Parameter write: Writes the content to the sink that it receives.
    static func replaceDurably(
        _ path: String,
        _ write: (@escaping ([UInt8]) throws(ResultsError) -> Void) throws(ResultsError) -> Void
    ) throws(ResultsError) {
        if isStream(path) {
            let stream = try OutputFile(path, .stream)
            return try write { piece throws(ResultsError) in try stream.write(piece) }
        }
        let file = try NewFile(path, [])
        try write { piece throws(ResultsError) in try file.append(piece) }
        try file.sync()
        try file.takePlace()
    }

    /// Whether there is something other than a file or a folder at a path, such as a device or a pipe.
    private static func isStream(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
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
        return path[..<nameStart] + "." + path[nameStart...].prefix(longestTemporaryStart) + ".\(tail).tmp"
    }

    /// Whether a name is one that `temporaryPath` makes beside a file of this name, and beside no other file.
    static func isTemporary(_ name: String, beside file: String) -> Bool {
        guard file.count <= longestTemporaryStart, name.hasPrefix(".\(file)."), name.hasSuffix(".tmp") else {
            return false
        }
        let tail = name.utf8.dropFirst(file.utf8.count + 2).dropLast(4)
        return !tail.isEmpty
            && tail.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
            }
    }

    /// How much of a file's name is in that of its temporary file, in characters.
    private static let longestTemporaryStart = 40
}

/// A file that is written beside another one, to take its place. Where it does not it goes away.
private final class NewFile {
    private let path: String
    private let temporaryPath: String
    private let file: OutputFile
    private var isInPlace = false

    init(_ path: String, _ bytes: [UInt8], beginsSync: Bool = false) throws(ResultsError) {
        self.path = path
        temporaryPath = OutputFile.temporaryPath(beside: path)
        do throws(ResultsError) {
            file = try OutputFile(temporaryPath, .new)
        } catch {
            throw Self.named(error, path, temporaryPath)
        }
        try attempt { () throws(ResultsError) in try file.write(bytes) }
        if beginsSync { file.beginSync() }
    }

    deinit {
        if !isInPlace { unlink(temporaryPath) }
    }

    func append(_ bytes: [UInt8]) throws(ResultsError) {
        try attempt { () throws(ResultsError) in try file.write(bytes) }
    }

    func sync() throws(ResultsError) {
        try attempt { () throws(ResultsError) in try file.sync() }
    }

    func takePlace() throws(ResultsError) {
        try attempt { () throws(ResultsError) in
            if rename(temporaryPath, path) != 0 { throw ResultsError(cannot: "write", path) }
        }
        isInPlace = true
    }

    private func attempt(_ work: () throws(ResultsError) -> Void) throws(ResultsError) {
        do throws(ResultsError) {
            try work()
        } catch {
            throw Self.named(error, path, temporaryPath)
        }
    }

    /// The user knows the file by its own name only.
    private static func named(_ error: ResultsError, _ path: String, _ temporaryPath: String) -> ResultsError {
        ResultsError(path: path, error.description.replacing(temporaryPath, with: path))
    }
}

/// What brings the bytes of files to rest. Tests put another one in its place, to see when that is done or to have it fail.
struct Disk: Sendable {
    /// Waits until what was written to the open file at a path is on the disk; gives an errno, or 0.
    let sync: @Sendable (_ descriptor: Int32, _ path: String) -> Int32

    /// The disk of the machine.
    static let real = Disk { descriptor, _ in fsync(descriptor) == 0 ? 0 : errno }
}
