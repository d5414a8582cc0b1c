import WaybillPlatform
import WaybillRuntime

/// The destination of the records in a complete `.part` file.
package enum RecordContainer: Sendable {
    /// The file itself, which is moved to its path.
    case file
    /// A gzip file (RFC 1952).
    case gzip
    /// A table of an SQLite database.
    case table(SQLiteTable)

    /// Returns the path of the records until they are complete. They are in the format of their writer, not compressed.
    ///
    /// - Parameter run: The run that writes the file, if other runs may write to the same path.
    package func part(of path: String, ownedBy run: RunID? = nil) -> String {
        let owned = run.map { "\(path).\($0)" } ?? path
        return switch self {
        case .file, .gzip: owned + ".part"
        case .table(let table): "\(owned).\(table.name).part"
        }
    }

    /// Returns the names that a file occupies. Two steps must not share one.
    func names(of path: String) -> [String] {
        switch self {
        case .file: [path, part(of: path)] + (path.hasSuffix(".part") ? [String(path.dropLast(5))] : [])
        case .gzip: [path, part(of: path), Self.compressed(part(of: path))]
        // Table names are case-insensitive.
        case .table(let table): ["\(path)\0\(table.name.lowercased())", part(of: path)]
        }
    }

    /// Whether the records of a complete file are at their destination. Removing the unfinished file is the last step.
    ///
    /// - Parameter committed: The content of the file; `nil` if other runs may have replaced it.
    func isInPlace(_ path: String, from part: String, _ committed: RecordFileWriter.Committed?) -> Bool {
        var status = stat()
        guard lstat(part, &status) != 0, errno == ENOENT, lstat(path, &status) == 0 else { return false }
        switch self {
        case .file, .gzip: return committed.map { Int(status.st_size) == $0.bytes } ?? true
        // Others may write to the database as well.
        case .table: return true
        }
    }

    /// Returns the thread for work whose duration depends on the number of records: not that of the journal.
    func thread(or shared: FileThread) throws(ResultsError) -> FileThread {
        switch self {
        case .file: shared
        case .gzip, .table: try RunFolder.startThread()
        }
    }

    /// Performs the work that can be done before the records are announced as complete. May take long.
    ///
    /// - Parameters:
    ///   - part: The unfinished file.
    ///   - isStopped: Whether to stop early.
    /// - Returns: The size of the file, if known.
    func prepare(_ path: String, from part: String, until isStopped: () -> Bool) throws(ResultsError) -> Int {
        switch self {
        case .file, .table: return FolderContents.size(of: part) ?? 0
        case .gzip:
            let compressed = Self.compressed(part)
            do throws(ResultsError) {
                return try GzipFile.write(compressed, from: part, replacing: path, until: isStopped)
            } catch {
                unlink(compressed)
                let description = error.description.replacing(compressed, with: path)
                throw ResultsError(description, error.kind)
            }
        }
    }

    /// Removes what `prepare` has made, if the records are not completed.
    func discardPrepared(from part: String) {
        if case .gzip = self { unlink(Self.compressed(part)) }
    }

    /// Moves the records to their destination, and removes the unfinished file. May take long.
    ///
    /// - Parameters:
    ///   - isStopped: Whether to stop waiting for a lock of another process.
    ///   - isCancelled: Whether to stop loading records into a table.
    /// - Returns: The size of the file.
    func complete(
        _ path: String,
        from part: String,
        until isStopped: @escaping @Sendable () -> Bool,
        orUntil isCancelled: @escaping @Sendable () -> Bool
    ) throws(ResultsError) -> Int {
        switch self {
        case .file: try Self.move(part, to: path)
        case .gzip:
            try Self.move(Self.compressed(part), to: path)
            try remove(part)
        case .table(let table):
            try table.load(part, into: path, until: isStopped, orUntil: isCancelled)
            try remove(part)
        }
        OutputFile.syncFolder(of: path)
        return FolderContents.size(of: path) ?? 0
    }

    private static func compressed(_ part: String) -> String { part + ".gz" }

    private static func move(_ source: String, to path: String) throws(ResultsError) {
        try OutputFile.move(source, to: path)
    }

    private func remove(_ path: String) throws(ResultsError) {
        if unlink(path) != 0, errno != ENOENT { throw ResultsError(cannot: "remove", path) }
    }
}
