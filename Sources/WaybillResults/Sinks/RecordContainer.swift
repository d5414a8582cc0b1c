import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where the records of a complete `.part` file go.
package enum RecordContainer: Sendable {
    /// The file itself, which is moved to its path.
    case file
    /// A gzip file (RFC 1952).
    case gzip
    /// A table of an SQLite database.
    case table(SQLiteTable)

    /// The path of the records while they are not complete. They are in the format of their writer, not compressed.
    package func part(of path: String) -> String {
        switch self {
        case .file, .gzip: path + ".part"
        case .table(let table): "\(path).\(table.name).part"
        }
    }

    /// The names that a file takes: two steps may not have one in common.
    func names(of path: String) -> [String] {
        switch self {
        case .file: [path, part(of: path)] + (path.hasSuffix(".part") ? [String(path.dropLast(5))] : [])
        case .gzip: [path, part(of: path), compressed(path)]
        // Case does not tell tables apart.
        case .table(let table): ["\(path)\0\(table.name.lowercased())", part(of: path)]
        }
    }

    /// Whether the records of a complete file are in their place. An unfinished file is removed as the last step.
    func isInPlace(_ path: String, _ committed: RecordSink.Committed) -> Bool {
        var status = stat()
        guard lstat(part(of: path), &status) != 0, errno == ENOENT, lstat(path, &status) == 0 else { return false }
        switch self {
        case .file, .gzip: return Int(status.st_size) == committed.bytes
        // Others may write to the database, too.
        case .table: return true
        }
    }

    /// The thread for what takes as long as there are records: not that of the journal.
    func thread(or shared: FileThread) throws(ResultsError) -> FileThread {
        switch self {
        case .file: shared
        case .gzip, .table: try RunFolder.startThread()
        }
    }

    /// Does what can be done before the records are announced as complete. May take long.
    ///
    /// - Returns: the size of the file, as far as it is known.
    func prepare(_ path: String) throws(ResultsError) -> Int {
        switch self {
        case .file, .table: return FolderContents.size(of: part(of: path)) ?? 0
        case .gzip:
            do throws(ResultsError) {
                return try GzipFile.write(compressed(path), from: part(of: path))
            } catch {
                unlink(compressed(path))
                throw ResultsError(path: path, error.description.replacing(compressed(path), with: path))
            }
        }
    }

    /// Puts the records in their place, and removes the unfinished file. May take long.
    ///
    /// - Returns: the size of the file.
    func complete(_ path: String) throws(ResultsError) -> Int {
        switch self {
        case .file: try Self.move(part(of: path), to: path)
        case .gzip:
            try Self.move(compressed(path), to: path)
            try remove(part(of: path))
        case .table(let table):
            try table.load(part(of: path), into: path)
            try remove(part(of: path))
        }
        OutputFile.syncFolder(of: path)
        return FolderContents.size(of: path) ?? 0
    }

    private func compressed(_ path: String) -> String { path + ".part.gz" }

    private static func move(_ source: String, to path: String) throws(ResultsError) {
        if rename(source, path) != 0 { throw ResultsError(cannot: "write", path) }
    }

    private func remove(_ path: String) throws(ResultsError) {
        if unlink(path) != 0, errno != ENOENT { throw ResultsError(cannot: "remove", path) }
    }
}
