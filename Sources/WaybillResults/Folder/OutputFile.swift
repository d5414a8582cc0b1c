import WaybillPlatform
import WaybillRuntime

/// An open file for writing. It is closed when the value is destroyed.
struct OutputFile: ~Copyable, Sendable {
    /// How a file is opened.
    enum Mode {
        /// The file is created and must not exist.
        case new
        /// The file is created, or opened if it exists. A symbolic link is an error. It can be locked and read, and is
        /// written only after `continued(at:)`.
        case any
        /// The file exists, and is only locked.
        case existing
        /// The file exists and is only written to: a device or a pipe.
        case stream
        /// A folder, which can be locked.
        case folder
    }

    /// The path that the file was opened with.
    let path: String

    private let descriptor: Int32
    private let disk: Disk
    /// Whether nothing but the path leads to the file, so that it may be written.
    private var isOwn: Bool

    init(_ path: String, _ mode: Mode, disk: Disk = .real) throws(ResultsError) {
        let opened: Int32
        switch mode {
        case .new: opened = try RegularFile.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_EXCL, to: "create")
        case .any: opened = try RegularFile.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, to: "create")
        case .existing: opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        // Otherwise, opening a pipe would wait for a process that reads it.
        case .stream: opened = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
        case .folder: opened = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        }
        if opened < 0, mode == .stream, errno == ENXIO {
            throw ResultsError("cannot write to '\(path)': no process reads from this pipe")
        }
        if opened < 0 { throw ResultsError(cannot: "create", path) }
        if mode == .stream { _ = fcntl(opened, F_SETFL, O_WRONLY) }
        (descriptor, self.path, self.disk) = (opened, path, disk)
        isOwn = mode == .new || mode == .stream
    }

    /// Takes over an open file that has a path, or gets it when it is complete.
    fileprivate init(_ descriptor: Int32, at path: String, disk: Disk = .real) {
        (self.descriptor, self.path, self.disk, isOwn) = (descriptor, path, disk, true)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Locks the file for this process; `false` if another process has locked it, or has replaced or removed it since it
    /// was opened.
    func lock() -> Bool {
        // Some file systems do not support locks; there, the file counts as unlocked.
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            // Processes that only ask whether the file is locked have a shared lock on it for a moment.
            guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return false }
            unlock()
            usleep(.random(in: 100...2000))
        }
        var (own, current) = (stat(), stat())
        return unsafe fstat(descriptor, &own) == 0 && stat(path, &current) == 0
            && own.st_ino == current.st_ino && own.st_dev == current.st_dev
    }

    /// Whether a process has locked the file at a path. A file that cannot be read counts as unlocked. Others may ask at
    /// the same time: the shared lock of a question excludes neither another question nor `lock()`.
    static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Unlocks the file for other processes.
    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Gives the file the permissions of another one, if that exists; see `FileReplacement`.
    func adoptPermissions(of model: String) {
        FileReplacement.adoptPermissions(of: model, descriptor)
    }

    /// Reads from the start, at most this many bytes.
    func head(_ limit: Int) throws(ResultsError) -> [UInt8] { try read(limit, from: 0) }

    /// Reads the end, at most this many bytes.
    func tail(_ limit: Int) throws(ResultsError) -> [UInt8] { try read(limit, from: max(0, size() - limit)) }

    private func read(_ limit: Int, from offset: Int) throws(ResultsError) -> [UInt8] {
        do throws(SystemError) {
            return try OpenFile.read(limit, from: descriptor, at: offset)
        } catch {
            throw ResultsError(cannot: "read", path, code: error.errno)
        }
    }

    /// Returns the size of the file in bytes.
    func size() throws(ResultsError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ResultsError(cannot: "read", path) }
        return Int(status.st_size)
    }

    /// Truncates the file to a length, and continues writing there.
    ///
    /// A file with other hard links, as in a copy of its folder by `cp -al`, is replaced by a copy that is locked like
    /// itself, so that nothing is written through the links.
    consuming func continued(at length: Int) throws(ResultsError) -> OutputFile {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ResultsError(cannot: "read", path) }
        guard status.st_nlink > 1 else {
            isOwn = true
            try cut(to: length)
            return self
        }
        let (opened, temporary) = TemporaryFile.create(beside: path, permissions: 0o666)
        guard opened >= 0 else { throw ResultsError(cannot: "create", path) }
        let copy = OutputFile(opened, at: path, disk: disk)
        do throws(ResultsError) {
            copy.adoptPermissions(of: path)
            var offset = 0
            while offset < length, case let piece = try read(min(1 << 20, length - offset), from: offset),
                !piece.isEmpty
            {
                try copy.write(piece)
                offset += piece.count
            }
            try copy.cut(to: length)
            try Self.move(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
        return copy
    }

    /// Writes all bytes after those written before.
    func write(_ bytes: [UInt8]) throws(ResultsError) {
        precondition(isOwn, "a file that existed before is written only after continued(at:)")
        do throws(SystemError) {
            try OpenFile.write(bytes, to: descriptor)
        } catch {
            throw ResultsError(cannot: "write", path, code: error.errno)
        }
    }

    /// Truncates the file to a length, where the next bytes are written.
    func cut(to length: Int) throws(ResultsError) {
        precondition(isOwn, "a file that existed before is cut only by continued(at:)")
        guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
            throw ResultsError(cannot: "cut", path)
        }
    }

    /// Another descriptor of the file, which the caller closes; -1 with `errno` if there is none.
    func duplicate() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// Asks the system to start writing to the disk, so that a later wait for it is shorter.
    func beginSync() {
        waybill_begin_sync(descriptor)
    }

    /// Waits until everything written is on the disk. May take long.
    func sync() throws(ResultsError) {
        while true {
            switch disk.sync(descriptor, path) {
            // Devices and pipes have nothing to sync, and report an error.
            case 0, EINVAL, ENOTSUP, EROFS: return
            case EINTR: continue
            case let code: throw ResultsError(cannot: "write", path, code: code)
            }
        }
    }
}

extension OutputFile {
    /// Removes an earlier file, if there is one, so that a new one can be created.
    static func removeEarlier(_ path: String) throws(ResultsError) {
        if let obstacle = FileReplacement.obstacle(at: path) {
            throw ResultsError("cannot replace '\(path)': \(obstacle.message)")
        }
        if unlink(path) != 0, errno != ENOENT { throw ResultsError(cannot: "replace", path) }
    }

    /// Moves a complete file to a path, in place of an earlier one.
    static func move(_ source: String, to path: String) throws(ResultsError) {
        do throws(SystemError) {
            try FileReplacement.move(source, to: path)
        } catch {
            guard let obstacle = FileReplacement.obstacle(at: path) else {
                throw ResultsError(cannot: "write", path, code: error.errno)
            }
            throw ResultsError("cannot write '\(path)': \(obstacle.message)")
        }
    }

    /// Replaces a file atomically: the content is written to a temporary file in the same folder, which is then
    /// renamed. The new file has the permissions of the earlier one.
    ///
    /// - Parameter model: A file whose permissions the new one gets if there is no earlier one.
    static func replace(_ path: String, with bytes: [UInt8], like model: String? = nil) throws(ResultsError) {
        let file = try NewFile(path, bytes, like: model)
        try file.takePlace()
    }

    /// Replaces files atomically, each after its content is on the disk. May take long. The new files have the permissions
    /// of the earlier ones.
    ///
    /// - Parameter model: A file whose permissions the new files get that have no earlier one.
    static func replaceDurably(
        _ files: [(path: String, bytes: [UInt8])],
        like model: String? = nil
    ) throws(ResultsError) {
        var written: [NewFile] = []
        // The disk works on all of them while the first is waited for.
        for (path, bytes) in files { written.append(try NewFile(path, bytes, like: model, beginsSync: true)) }
        for new in written {
            try new.file.sync()
            try new.takePlace()
        }
    }

    /// Replaces a file atomically with content that is written in pieces, after it is on the disk. May take long.
    ///
    /// A device or a pipe is written to directly: replacing it with a file would break it for its other users. Of a
    /// symbolic link, the file that it leads to is replaced, for the same reason.
    ///
    /// - Parameter write: Writes the content to the function that it receives.
    static func replaceDurably(
        _ path: String,
        _ write: (@escaping ([UInt8]) throws(ResultsError) -> Void) throws(ResultsError) -> Void
    ) throws(ResultsError) {
        if isStream(path) {
            let stream = try OutputFile(path, .stream)
            return try write { piece throws(ResultsError) in try stream.write(piece) }
        }
        let new = try NewFile(FileContents.target(of: path), [])
        try write { piece throws(ResultsError) in try new.file.write(piece) }
        try new.file.sync()
        try new.takePlace()
    }

    /// Whether a path is something other than a file or a folder, such as a device or a pipe.
    private static func isStream(_ path: String) -> Bool {
        (try? FileStatus(of: path))?.kind == .other
    }

    /// Waits until the entries of a file's folder are on the disk, if the file system supports it. May take long.
    static func syncFolder(of path: String) {
        let descriptor = open(FileContents.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }

    /// Whether a name is that of a temporary file beside this file, and beside no other file.
    static func isTemporary(_ name: String, beside file: String) -> Bool {
        guard file.utf8.count <= TemporaryFile.longestStart, name.utf8.starts(with: ".\(file).".utf8),
            name.hasSuffix(".tmp")
        else { return false }
        let tail = name.utf8.dropFirst(file.utf8.count + 2).dropLast(4)
        return !tail.isEmpty
            && tail.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
            }
    }
}

/// A temporary file that replaces another one. It is removed if it does not.
private final class NewFile {
    private let path: String
    private let temporaryPath: String
    /// The open temporary file. Its errors name the other one, the only one that users know.
    let file: OutputFile
    private var isInPlace = false

    init(
        _ path: String,
        _ bytes: [UInt8],
        like model: String? = nil,
        beginsSync: Bool = false
    ) throws(ResultsError) {
        self.path = path
        let (descriptor, temporary) = TemporaryFile.create(beside: path, permissions: 0o666)
        guard descriptor >= 0 else { throw ResultsError(cannot: "create", path) }
        temporaryPath = temporary
        file = OutputFile(descriptor, at: path)
        if let model { file.adoptPermissions(of: model) }
        file.adoptPermissions(of: path)
        try file.write(bytes)
        if beginsSync { file.beginSync() }
    }

    deinit {
        if !isInPlace { unlink(temporaryPath) }
    }

    func takePlace() throws(ResultsError) {
        try OutputFile.move(temporaryPath, to: path)
        isInPlace = true
    }
}

/// Syncs files to the disk. Tests replace it, to observe syncs or to make them fail.
package struct Disk: Sendable {
    /// Waits until everything written to the open file at a path is on the disk. Returns an errno, or 0.
    let sync: @Sendable (_ descriptor: Int32, _ path: String) -> Int32

    /// The machine's disk.
    package static let real = Disk { descriptor, _ in fsync(descriptor) == 0 ? 0 : errno }
}
