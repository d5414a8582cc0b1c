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
    /// Several files and tables, of which the first has the path of the file. Their records are complete together.
    indirect case several([RecordTarget])

    /// Returns the path of the records until they are complete. They are in the format of their writer, not compressed.
    ///
    /// - Parameter run: The run that writes the file, if other runs may write to the same path.
    package func part(of path: String, ownedBy run: RunID? = nil) -> String {
        let owned = run.map { "\(path).\($0)" } ?? path
        return switch self {
        case .file, .gzip: owned + Self.partExtension
        case .table(let table): "\(owned).\(table.name)\(Self.partExtension)"
        // A hyphen does not occur in the name of a table.
        case .several: "\(owned).all-records\(Self.partExtension)"
        }
    }

    private static let partExtension = ".part"

    /// Whether a path is that of records that are not complete.
    static func isPart(_ path: String) -> Bool { path.hasSuffix(partExtension) }

    /// Returns the names that a file occupies, without those of several targets. Two steps must not share one.
    func names(of path: String) -> [String] {
        switch self {
        case .file:
            [path, part(of: path)] + (Self.isPart(path) ? [String(path.dropLast(Self.partExtension.count))] : [])
        case .gzip: [path, part(of: path), Self.compressed(part(of: path))]
        case .table(let table): [SQLiteTable.name(table.name, in: path), part(of: path)]
        case .several: [part(of: path)]
        }
    }

    /// Returns the resolved path of a file, and its container with those of several targets.
    ///
    /// - Parameter resolve: Returns the resolved path of a file and the run that owns it; see `RecordTarget`. Receives the
    ///   index of a target.
    func resolved(
        at path: String,
        _ resolve: (_ path: String, RecordContainer, _ index: Int?) throws(ResultsError) -> (String, RunID?)
    ) throws(ResultsError) -> (path: String, container: RecordContainer) {
        guard case .several(var targets) = self else { return (try resolve(path, self, nil).0, self) }
        for (index, target) in targets.enumerated() {
            (targets[index].path, targets[index].owner) = try resolve(target.path, target.container, index)
        }
        return (targets[0].path, .several(targets))
    }

    /// Whether the records of a complete file are at their destination. Removing the unfinished file is the last step.
    ///
    /// - Parameter sizes: The size of each file; `nil` if other runs may have replaced it.
    func isInPlace(_ path: String, from part: String, _ sizes: [Int?]) -> Bool {
        var status = stat()
        guard lstat(part, &status) != 0, errno == ENOENT, lstat(path, &status) == 0 else { return false }
        switch self {
        case .file, .gzip: return sizes.first.flatMap(\.self).map { Int(status.st_size) == $0 } ?? true
        case .several(let targets):
            return zip(targets, sizes).allSatisfy { target, size in
                target.container.isInPlace(
                    target.path,
                    from: target.container.part(of: target.path, ownedBy: target.owner),
                    [size]
                )
            }
        // Others may write to the database as well.
        case .table: return true
        }
    }

    /// Returns the thread for work whose duration depends on the number of records: not that of the journal.
    func thread(or shared: FileThread) throws(ResultsError) -> FileThread {
        switch self {
        case .file: shared
        case .gzip, .table, .several: try RunFolder.startThread()
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
        case .file, .table, .several: return FolderContents.size(of: part) ?? 0
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

    /// Moves the records to their destination, unless a transaction has done that, and removes the unfinished file.
    func complete(_ path: String, from part: String) throws(ResultsError) {
        switch self {
        case .file: try OutputFile.move(part, to: path)
        case .gzip:
            try OutputFile.move(Self.compressed(part), to: path)
            try Self.remove(part)
        case .table, .several: try Self.remove(part)
        }
    }

    private static func compressed(_ part: String) -> String { part + ".gz" }

    /// Removes a file, if it exists.
    static func remove(_ path: String) throws(ResultsError) {
        if unlink(path) != 0, errno != ENOENT { throw ResultsError(cannot: "remove", path) }
    }
}
