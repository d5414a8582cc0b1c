import Synchronization
import WaybillFormats
import WaybillPlatform
import WaybillRuntime

/// Why a download did not produce its file.
package struct DownloadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A description for the user, without a full stop.
    package let description: String
    /// Whether the work ended early because its result was no longer needed.
    package let wasStopped: Bool

    /// Creates an error with a description.
    package init(_ description: String, wasStopped: Bool = false) {
        self.description = description
        self.wasStopped = wasStopped
    }

    /// The error of a download that was cancelled during long work.
    static let stopped = DownloadError("the download was cancelled", wasStopped: true)

    init(cannot action: String, _ path: String, _ error: SystemError = .last) {
        self.init("cannot \(action) '\(path)': \(error)")
    }
}

/// The file of a download until it is complete. This process holds a lock on it as long as the object exists.
///
/// When the download is interrupted, the bytes stay on disk with a record next to them (`FILE.part.json`) if they can
/// be resumed; otherwise they are deleted. All functions block and are called on a thread for files.
final class PartialFile: Sendable {
    private struct State: ~Copyable {
        var record: DownloadRecord?
        var size: Int
        /// The position of the next byte of the body: before the end of the file while the body repeats bytes.
        var position = 0
        var digests: FileDigests
        var decoding: BodyDecoding?
        var hasTarget = false
        /// The number of bytes that the system has not yet been asked to write to disk.
        var unsynced = 0
    }

    /// After this many bytes, writing to disk starts while others arrive, so that the wait at the end is short.
    private static let syncInterval = 32 << 20

    let path: String

    private let descriptor: Int32
    private let algorithms: Set<Digest.Algorithm>
    private let cancellation: Cancellation
    private let state: Mutex<State>

    /// Opens or creates the file and locks it. Throws if another process, or another request of this one, has locked
    /// it.
    ///
    /// - Parameter cancellation: Ends the reading of a large file, and the decoding of a body.
    init(
        _ path: String,
        digests algorithms: Set<Digest.Algorithm>,
        cancellation: Cancellation = Cancellation()
    ) throws(DownloadError) {
        self.path = path
        self.algorithms = algorithms
        self.cancellation = cancellation
        if let obstacle = FileReplacement.obstacle(at: DownloadRecord.path(ofPart: path)) {
            throw DownloadError("cannot write '\(obstacle.path)': \(obstacle.message)")
        }
        let (descriptor, size) = try Self.openLocked(path)
        self.descriptor = descriptor
        TemporaryFile.removeAbandoned(beside: DownloadRecord.path(ofPart: path))
        let record = (try? FileContents.read(DownloadRecord.path(ofPart: path), limit: 1 << 20)).flatMap(
            DownloadRecord.init
        )
        state = Mutex(State(record: record, size: size, digests: FileDigests(algorithms), decoding: nil))
    }

    deinit {
        close(descriptor)
    }

    /// The record and the size of a file that can be resumed.
    var resumable: (record: DownloadRecord, size: Int)? {
        state.withLock { state in state.record.map { ($0, state.size) } }
    }

    /// The number of bytes.
    var size: Int { state.withLock { $0.size } }

    /// The position in the file after the bytes of the body that were received.
    var position: Int { state.withLock { $0.position } }

    /// Prepares for a body: truncates the file unless it is resumed, and stores the body's record.
    func begin(_ body: DownloadState.Body) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            state.position = body.offset
            guard body.offset == 0 else {
                guard body.offset <= state.size else { throw DownloadError("'\(path)' was changed by another program") }
                return try digest(&state)
            }
            // A record must never be next to the bytes of another file.
            unlink(DownloadRecord.path(ofPart: path))
            state.record = nil
            if ftruncate(descriptor, 0) != 0 { throw DownloadError(cannot: "write", path) }
            state.size = 0
            state.digests = FileDigests(algorithms)
            do throws(ContentDecoder.Unknown) {
                state.decoding = body.codings.isEmpty ? nil : try BodyDecoding(body.codings)
            } catch {
                throw DownloadError("the response has the unknown content coding '\(error.coding)'")
            }
            guard let record = body.record else { return }
            do throws(SystemError) {
                try FileContent.replace(DownloadRecord.path(ofPart: path), with: record.text)
            } catch {
                throw DownloadError(cannot: "write", DownloadRecord.path(ofPart: path), error)
            }
            state.record = record
        }
    }

    /// Appends bytes of the body. Returns false if they differ from those that the file already has.
    func write(_ bytes: [UInt8]) throws(DownloadError) -> Bool {
        try state.withLock { (state) throws(DownloadError) in
            guard let decoding = state.decoding else {
                let repeated = bytes.prefix(state.size - state.position)
                guard try contains(repeated, at: state.position) else { return false }
                state.position += repeated.count
                if let error = bytes.withUnsafeBytes({ append(.init(rebasing: $0[repeated.count...]), &state) }) {
                    throw error
                }
                return true
            }
            var failure: DownloadError?
            let outcome = bytes.withUnsafeBytes { bytes in
                decoding.take(bytes) { decoded in
                    // A few bytes may decode to many.
                    failure = cancellation.isRequested ? .stopped : append(decoded, &state)
                    return failure == nil ? .taken : .never
                }
            }
            if let failure { throw failure }
            guard case .taken = outcome else { throw DownloadError("the response does not match its Content-Encoding") }
            return true
        }
    }

    /// Returns the digests of the whole file. Throws if the body is incomplete.
    func finish() throws(DownloadError) -> [Digest.Algorithm: [UInt8]] {
        try state.withLock { (state) throws(DownloadError) in
            if let decoding = state.decoding, !decoding.isComplete {
                throw DownloadError("the response ended in the middle of its encoded content")
            }
            try digest(&state)
            return state.digests.values
        }
    }

    /// Waits until the bytes are on disk and moves the file to its destination, where it is never incomplete.
    ///
    /// - Parameter replaces: Whether to replace an existing file. If not, an existing file is an error.
    func move(to target: String, replacing replaces: Bool) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            while fsync(descriptor) != 0 {
                let error = SystemError.last
                if error.errno != EINTR { throw DownloadError(cannot: "write", path, error) }
            }
            FileReplacement.adoptPermissions(of: target, descriptor)
            let copy = try copyIfElsewhere(target)
            let path = copy?.path ?? path
            defer {
                if let copy {
                    if !state.hasTarget { unlink(copy.path) }
                    close(copy.descriptor)
                }
            }
            if !replaces, link(path, target) == 0 {
                unlink(path)
            } else if !replaces, SystemError.last.errno == EEXIST {
                throw DownloadError("'\(target)' already exists")
            } else {
                // Some file systems have no hard links: there, a file that another process creates at this moment is
                // replaced.
                do throws(SystemError) {
                    try FileReplacement.move(path, to: target)
                } catch {
                    guard let obstacle = FileReplacement.obstacle(at: target) else {
                        throw DownloadError(cannot: "write", target, error)
                    }
                    throw DownloadError("cannot write '\(target)': \(obstacle.message)")
                }
            }
            state.hasTarget = true
            if copy != nil { unlink(self.path) }
            unlink(DownloadRecord.path(ofPart: self.path))
            unlock()
            let folder = open(FileContents.folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { return }
            // Not all file systems support this.
            _ = fsync(folder)
            close(folder)
        }
    }

    /// Returns a copy beside the destination if that is on another file system, to which the file cannot be moved. The
    /// copy is locked until it is closed.
    private func copyIfElsewhere(_ target: String) throws(DownloadError) -> (path: String, descriptor: Int32)? {
        var (own, folder) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(FileContents.folder(of: target), &folder) == 0,
            own.st_dev != folder.st_dev
        else { return nil }
        let copy = TemporaryFile.create(beside: target, permissions: UInt32(own.st_mode & 0o777))
        guard copy.descriptor >= 0 else { throw DownloadError(cannot: "create", copy.path) }
        do throws(SystemError) {
            var position = 0
            while true {
                let piece = try OpenFile.read(1 << 20, from: descriptor, at: position)
                if piece.isEmpty { break }
                try OpenFile.write(piece, to: copy.descriptor)
                position += piece.count
            }
            guard fsync(copy.descriptor) == 0 else { throw .last }
            return (copy.path, copy.descriptor)
        } catch {
            unlink(copy.path)
            close(copy.descriptor)
            throw DownloadError(cannot: "write", copy.path, error)
        }
    }

    /// Deletes the file and its record, unless it was moved to its destination.
    func discard() {
        state.withLock { state in
            if state.hasTarget { return }
            unlink(path)
            unlink(DownloadRecord.path(ofPart: path))
            state.record = nil
            state.hasTarget = true
        }
        unlock()
    }

    /// Unlocks the file, and deletes it if there is nothing in it to resume. Nothing may be written afterwards.
    func release() {
        if state.withLock({ $0.record == nil || $0.size == 0 }) { discard() }
        unlock()
    }

    /// Unlocks the file immediately, because the thread for files may retain the object for a moment.
    private func unlock() { flock(descriptor, LOCK_UN) }

    private func append(_ bytes: UnsafeRawBufferPointer, _ state: inout State) -> DownloadError? {
        var rest = bytes
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(state.size))
            if count < 0 && SystemError.last.errno == EINTR { continue }
            guard count > 0 else { return DownloadError(cannot: "write", path) }
            if !state.digests.isEmpty { state.digests.update(Array(rest[..<count])) }
            state.size += count
            state.position = state.size
            state.unsynced += count
            rest = .init(rebasing: rest[count...])
        }
        if state.unsynced >= Self.syncInterval {
            waybill_begin_sync(descriptor)
            state.unsynced = 0
        }
        return nil
    }

    /// Whether the file has these bytes at a position.
    private func contains(_ bytes: ArraySlice<UInt8>, at position: Int) throws(DownloadError) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let existing = try read(rest.count, at: position + bytes.count - rest.count)
            guard !existing.isEmpty, rest.starts(with: existing) else { return false }
            rest = rest.dropFirst(existing.count)
        }
        return true
    }

    private func read(_ limit: Int, at offset: Int) throws(DownloadError) -> [UInt8] {
        do throws(SystemError) {
            return try OpenFile.read(limit, from: descriptor, at: offset)
        } catch {
            throw DownloadError(cannot: "read", path, error)
        }
    }

    /// Adds the existing bytes of the file to the digests.
    private func digest(_ state: inout State) throws(DownloadError) {
        guard !state.digests.isEmpty else { return }
        while state.digests.count < state.size {
            if cancellation.isRequested { throw .stopped }
            let piece = try read(min(256 << 10, state.size - state.digests.count), at: state.digests.count)
            guard !piece.isEmpty else { throw DownloadError(cannot: "read", path) }
            state.digests.update(piece)
        }
    }

    private static func openLocked(_ path: String) throws(DownloadError) -> (descriptor: Int32, size: Int) {
        guard !path.utf8.contains(0) else { throw DownloadError("the path of the file contains a NUL") }
        // The previous holder of the lock may have moved or deleted the file between the calls: then the path has
        // another file, or none.
        for _ in 0..<10 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
            guard descriptor >= 0 else { throw DownloadError(cannot: "create", path) }
            var (opened, current) = (stat(), stat())
            // Some file systems have no locks: there, the file is treated as unlocked.
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0, SystemError.last.errno == EWOULDBLOCK {
                close(descriptor)
                throw DownloadError(
                    "'\(path)' is being downloaded by another process, or by another request of this run"
                )
            }
            guard fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw DownloadError("'\(path)' is not a regular file")
            }
            if lstat(path, &current) == 0, current.st_ino == opened.st_ino, current.st_dev == opened.st_dev {
                // Nothing is written through other hard links, such as those of a copy of the folder by `cp -al`. The
                // download starts over.
                if opened.st_nlink > 1, unlink(path) == 0 {
                    close(descriptor)
                    continue
                }
                return (descriptor, Int(opened.st_size))
            }
            close(descriptor)
        }
        throw DownloadError("'\(path)' is being changed by other processes")
    }
}
