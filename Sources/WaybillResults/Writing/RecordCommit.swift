import WaybillPlatform
import WaybillRuntime

/// Moves complete records to their destinations: all of them, or none.
///
/// Of several, `load` takes every lock, so that `complete` waits for nothing: only an error of the disk, or of a path that
/// another program has changed meanwhile, can come between two files. The tables are committed first; files are only renamed.
/// Every process locks databases and folders in the order of their paths, and all databases before the folders, so that
/// none waits for another in a circle.
///
/// Unchecked because the caller calls one function after the other and waits for each.
final class RecordCommit: @unchecked Sendable {
    /// A file of records that is complete.
    private struct Part {
        let path: String
        /// The unfinished file with the records.
        let part: String
        let container: RecordContainer
        /// Whether other runs may write to the same path.
        let isShared: Bool
    }

    private let parts: [Part]
    /// The file with the records of all parts, if there are several. Removing it is the last step.
    private let joined: String?
    private var transactions: [SQLiteTransaction] = []
    private var locks: [FolderLock] = []

    /// Creates the commit of the records in an unfinished file.
    init(of container: RecordContainer, at path: String, from part: String) {
        guard case .several(let targets) = container else {
            parts = [Part(path: path, part: part, container: container, isShared: false)]
            joined = nil
            return
        }
        parts = targets.map { target in
            let part = target.container.part(of: target.path, ownedBy: target.owner)
            return Part(path: target.path, part: part, container: target.container, isShared: target.owner != nil)
        }
        joined = part
    }

    /// Whether `load` has anything to do.
    var mustLoad: Bool {
        joined != nil || parts.contains { if case .table = $0.container { true } else { false } }
    }

    /// Performs the work that can be done before it is known whether the records are accepted. May take long.
    ///
    /// - Returns: The sizes of the files, as far as they are known.
    func prepare(until isStopped: () -> Bool) throws(ResultsError) -> [Int] {
        var sizes: [Int] = []
        for part in parts { sizes.append(try part.container.prepare(part.path, from: part.part, until: isStopped)) }
        return sizes
    }

    /// Loads records into tables, in transactions that are not committed, and locks the folders of several files, so that
    /// two runs do not replace some of them each. May take long.
    ///
    /// - Parameters:
    ///   - isStopped: Whether to stop waiting for a lock of another process.
    ///   - isCancelled: Whether to stop loading.
    ///   - notice: Reports that it waits for long.
    func load(
        until isStopped: @escaping @Sendable () -> Bool,
        orUntil isCancelled: @escaping @Sendable () -> Bool,
        notice: LockNotice?
    ) throws(ResultsError) {
        var tables: [String: [(part: Part, table: SQLiteTable)]] = [:]
        for part in parts {
            guard case .table(let table) = part.container else { continue }
            tables[FileContents.canonicalPath(part.path) ?? part.path, default: []].append((part, table))
        }
        for (_, tables) in Self.sorted(tables) {
            let transaction = try SQLiteTransaction(
                tables[0].part.path,
                excludesReaders: joined != nil,
                wait: tables[0].table.wait,
                until: isStopped,
                orUntil: isCancelled,
                notice: notice
            )
            transactions.append(transaction)
            for (part, table) in tables { try transaction.load(part.part, into: table, until: isCancelled) }
        }
        guard joined != nil else { return }
        if isCancelled() { throw .stopped(parts[0].path) }
        var folders: [String: [Part]] = [:]
        for part in parts where part.isShared { folders[FileContents.folder(of: part.path), default: []].append(part) }
        for (folder, _) in Self.sorted(folders) {
            if let lock = try FolderLock(folder, until: isStopped, notice) { locks.append(lock) }
        }
    }

    private static func sorted<Value>(_ values: [String: Value]) -> [(key: String, value: Value)] {
        values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// Commits the transactions and moves the files, and removes the unfinished files. May take long.
    ///
    /// An error after the journal has the intent to replace several files is an error of the disk, which fails the run even
    /// where the failure of the step is tolerated: a resumed run replaces what is left.
    ///
    /// - Parameter isCancelled: Whether to commit nothing, if there is one table.
    /// - Returns: The sizes of the files.
    func complete(orUntil isCancelled: () -> Bool) throws(ResultsError) -> [Int] {
        if joined == nil, !transactions.isEmpty, isCancelled() { throw .stopped(parts[0].path) }
        var count = 0
        do throws(ResultsError) {
            for transaction in transactions {
                try transaction.commit()
                count += 1
            }
            transactions = []
            for part in parts {
                try part.container.complete(part.path, from: part.part)
                count += 1
            }
        } catch {
            guard joined != nil else { throw error }
            let advice =
                count > 0 ? "; other files of this step are already replaced, and a resumed run replaces the rest" : ""
            throw ResultsError("\(error.description)\(advice)", .disk)
        }
        var synced: Set<String> = []
        for part in parts where synced.insert(FileContents.folder(of: part.path)).inserted {
            OutputFile.syncFolder(of: part.path)
        }
        locks = []
        if let joined { try RecordContainer.remove(joined) }
        return parts.map { FolderContents.size(of: $0.path) ?? 0 }
    }

    /// Removes what was prepared, and leaves the databases as they were.
    func discard() {
        transactions = []
        locks = []
        for part in parts {
            part.container.discardPrepared(from: part.part)
            if joined != nil { unlink(part.part) }
        }
    }
}

/// The lock of a folder. It is released with this object.
private final class FolderLock {
    private let folder: OutputFile
    private static let longestWait = Duration.seconds(30)

    /// Waits for the lock. `nil` if the folder cannot be locked, or is that of a suite, which is locked while it runs.
    init?(_ path: String, until isStopped: () -> Bool, _ notice: LockNotice?) throws(ResultsError) {
        guard FolderContents.size(of: "\(path)/\(RunFileNames.suite)") == nil,
            let folder = try? OutputFile(path, .folder)
        else { return nil }
        self.folder = folder
        let start = ContinuousClock.now
        while !self.folder.lock() {
            if isStopped() { throw .stopped(path) }
            guard .now - start < Self.longestWait else {
                throw ResultsError("the folder '\(path)' is locked by another process")
            }
            notice?.note(.now - start, for: path)
            usleep(2000)
        }
    }
}
