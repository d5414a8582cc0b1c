import Synchronization
package import WaybillFormats
import WaybillJSON
import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The folder that the results of one run are written to.
package final class RunFolder: Sendable {
    /// Where a run's folder is.
    package enum Place: Sendable, Equatable {
        /// In a new folder, named after the run, of this one; a link `latest` there is led to it soon afterwards.
        case new(under: String)
        /// This folder itself, which may hold an earlier run: its files are then replaced.
        case at(String)
    }

    /// The folder.
    package let path: String
    /// The events of the run.
    package let journal: Journal
    /// The earlier run in the folder, if the results of this one replaced it although it had not finished.
    package let replacedUnfinishedRun: RunID?

    private let thread: FileThread
    private let disk: Disk
    private let bodies: BodyFolder
    /// The steps that have written files, by the files' paths: hashes of both, since there may be a million files.
    private let writers = Mutex<[Int: Int]>([:])

    /// Makes the folder, and so finds out whether results can be written at all.
    ///
    /// - Throws: where a folder or file cannot be made; where another run is writing; and where a file of the name of
    ///   one of ours was not written by us, which is then left as it is.
    package static func create(_ place: Place, for id: RunID) throws(ResultsError) -> RunFolder {
        try create(place, for: id, disk: .real)
    }

    /// Makes the folder on a disk; see above.
    static func create(
        _ place: Place,
        for id: RunID,
        disk: Disk,
        bodyLimit: Int = BodyFolder.usualLimit
    ) throws(ResultsError) -> RunFolder {
        let thread = try startThread()
        switch place {
        case .new(let parent):
            let path = "\(parent)/\(id)"
            try FolderContents.make(path)
            let file = try OutputFile("\(path)/\(FolderContents.journal)", .new, disk: disk)
            _ = file.lock()
            let folder = RunFolder(path: path, file, thread, disk, bodyLimit: bodyLimit)
            folder.journal.begin { () throws(ResultsError) in
                try FolderContents.leadLatest(in: parent, to: id.description)
            }
            return folder
        case .at(let path):
            try FolderContents.make(path)
            var unfinished: RunID?
            let file = try FolderContents.claim(path, disk: disk, replacing: &unfinished)
            return RunFolder(path: path, file, thread, disk, bodyLimit: bodyLimit, replacing: unfinished)
        }
    }

    /// Opens the folder of a run again, to go on with it: the journal goes on behind the last whole line.
    ///
    /// - Throws: where it cannot be opened, and where the run is still going on.
    package static func reopen(_ path: String, after record: RunRecord) throws(ResultsError) -> RunFolder {
        let thread = try startThread()
        let file = try OutputFile("\(path)/\(FolderContents.journal)", .any)
        guard file.lock() else { throw ResultsError(path: path, "the run in '\(path)' is still going on") }
        // Another process may have resumed the run, and ended, after the journal was read and before it was locked.
        var reader = JournalReader("\(path)/\(FolderContents.journal)")
        do {
            try reader.read { _ in }
        } catch {
            throw ResultsError(path: path, "\(error)")
        }
        guard reader.length == record.length else {
            let message = "another process has resumed the run in '\(path)' in the meantime; try again"
            throw ResultsError(path: path, message)
        }
        try file.cut(to: record.length)
        FolderContents.clearTemporaries(path)
        return RunFolder(path: path, file, thread, .real, length: record.length)
    }

    /// A thread for files, of its own.
    static func startThread() throws(ResultsError) -> FileThread {
        do {
            return try FileThread()
        } catch {
            throw ResultsError(path: "", "cannot start a thread for files: \(error)")
        }
    }

    private init(
        path: String,
        _ file: consuming OutputFile,
        _ thread: FileThread,
        _ disk: Disk,
        length: Int = 0,
        bodyLimit: Int = BodyFolder.usualLimit,
        replacing unfinished: RunID? = nil
    ) {
        self.path = path
        replacedUnfinishedRun = unfinished
        bodies = BodyFolder("\(path)/\(FolderContents.bodies)", limit: bodyLimit)
        self.thread = thread
        self.disk = disk
        journal = Journal(file, length: length, thread: thread)
    }

    /// Writes `sources.json` on the journal's thread, which also makes its content, so that the first request does not
    /// wait. If it fails, the journal has failed.
    package func keep(_ sources: @escaping @Sendable () -> RunSources) {
        let path = "\(path)/\(FolderContents.sources)"
        journal.begin { () throws(ResultsError) in
            var text: [UInt8] = []
            JSONWriter().write(sources().json, to: &text)
            // What is renamed into place would have to be on the disk first.
            if unlink(path) != 0, errno != ENOENT { throw ResultsError(cannot: "replace", path) }
            try OutputFile(path, .new).write(text + [UInt8(ascii: "\n")])
        }
    }

    /// Whether a run is writing to a folder now.
    package static func isLocked(_ path: String) -> Bool { OutputFile.isLocked("\(path)/\(FolderContents.journal)") }

    /// The summary of a run that has ended; `nil` where there is none.
    package static func result(in folder: String) -> RunResult? {
        guard let bytes = try? FileContents.read("\(folder)/\(FolderContents.result)", limit: 1 << 30),
            let json = try? JSONParser().parse(bytes)
        else { return nil }
        return RunResult(json: json)
    }

    /// Ends the run: writes `outputs.json`, for each graph in this order the object of its outputs, and `run.json`, waits until
    /// they and the journal are on the disk, and lets another run have the folder.
    ///
    /// - Parameter state: The state for the next run, and its file. It is stored last: a process that ends before that has
    ///   changed nothing for the next run.
    /// - Throws: what went wrong, also what went wrong first in the journal since it was begun.
    package func finish(
        _ result: RunResult,
        outputs: [(graph: String, values: RedactedJSON)],
        state: (file: StateFile, content: StateFile.Content)? = nil
    ) async throws(ResultsError) {
        var object = JSONObject()
        for (graph, values) in outputs { object[graph] = values.value }
        var outputsText: [UInt8] = []
        JSONWriter(layout: .pretty).write(.object(object), to: &outputsText)
        let files = [
            ("\(path)/\(FolderContents.outputs)", outputsText),
            ("\(path)/\(FolderContents.result)", result.jsonText(layout: .pretty)),
        ]
        try await journal.finish { () throws(ResultsError) in
            var files = files.map { ($0, $1 + [UInt8(ascii: "\n")]) }
            if let state { files.append((state.file.path, StateFile.text(of: state.content))) }
            try OutputFile.replaceDurably(files)
            if let state { OutputFile.syncFolder(of: state.file.path) }
        }
    }

    /// What became of the body of a failed response.
    package enum KeptBody: Sendable, Equatable {
        /// It is in the file of this path in the folder, such as `bodies/main.login.json`.
        case kept(String)
        /// It is not kept, because the bodies that are kept take as much space as they may; for the first time or again.
        case noRoom(isFirst: Bool)
    }

    /// The space that bodies may take, in MiB.
    package static var bodyLimitInMiB: Int { BodyFolder.usualLimit >> 20 }

    /// Keeps the body of a failed response; a later one of the same step replaces it.
    package func keep(
        body: RedactedBytes,
        of step: String,
        contentType: String?
    ) async throws(ResultsError) -> KeptBody {
        let name = BodyName.of(step: step, contentType: contentType)
        return try await thread.run { [bodies] () throws(ResultsError) in try bodies.keep(body.bytes, as: name) }
    }

    /// Writes a file that need not be in the folder, unless it has this content. It appears complete.
    ///
    /// - Returns: Whether there was no file before; `nil` if it has this content.
    package func replace(_ path: String, with content: [UInt8]) async throws(ResultsError) -> Bool? {
        try await thread.run { () throws(ResultsError) in
            let before = try? FileContents.read(path, limit: .max)
            if before == content { return nil }
            try FolderContents.make(FileContents.folder(of: path))
            try OutputFile.replaceDurably([(path, content)])
            return before == nil
        }
    }

    /// Begins a file of records, or goes on with one.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the folder. The folders on the way are made.
    ///   - allowsOutside: Whether it may lead out of the folder.
    ///   - step: The path of the step that writes. Another one may not write to the same file.
    package func records(
        at path: String,
        _ writer: any RecordWriter,
        in container: RecordContainer = .file,
        allowsOutside: Bool = false,
        of step: String,
        from place: RecordSink.Resumption? = nil
    ) async throws(ResultPathError) -> RecordSink {
        let root = self.path
        let (thread, disk) = (thread, disk)
        let note: @Sendable (ResultsError) -> Void = { [journal] in journal.fail(withRecords: $0) }
        let result: Result<RecordSink, ResultPathError>
        do {
            result = try await thread.run { () throws(ResultsError) in
                Result { () throws(ResultPathError) in
                    let whole = try ResultPath(root: root, allowsOutside: allowsOutside).prepare(path)
                    try self.claim(whole, in: container, of: step, as: path)
                    if case .table = container, !allowsOutside { try Self.refuseLink(whole, as: path) }
                    do throws(ResultsError) {
                        guard let place else {
                            return try RecordSink(
                                whole,
                                writer,
                                in: container,
                                thread: thread,
                                disk: disk,
                                onFailure: note
                            )
                        }
                        return try RecordSink(
                            whole,
                            writer,
                            in: container,
                            from: place,
                            thread: thread,
                            disk: disk,
                            onFailure: note
                        )
                    } catch {
                        throw .file(error)
                    }
                }
            }
        } catch {
            throw .file(error)
        }
        let sink = try result.get()
        journal.follow(sink)
        return sink
    }

    /// The path of a file that a step downloads, as it can be opened. The folders on the way are made.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the folder.
    ///   - allowsOutside: Whether it may lead out of the folder.
    ///   - step: The path of the step that downloads it, which no other one may write to; `nil` where others may.
    package func path(
        ofDownload path: String,
        allowsOutside: Bool,
        for step: String?
    ) async throws(ResultPathError) -> String {
        let root = self.path
        return try await thread.run { () throws(ResultPathError) in
            let whole = try ResultPath(root: root, allowsOutside: allowsOutside).prepare(path)
            if let step { try self.claim(whole, in: .file, of: step, as: path) }
            return whole
        }
    }

    /// Whether a file of records was put in its place, which the journal may not say of a run that was killed.
    package func isInPlace(
        _ path: String,
        in container: RecordContainer,
        _ committed: RecordSink.Committed,
        allowsOutside: Bool
    ) async -> Bool {
        let root = self.path
        let isInPlace = try? await thread.run { () throws(ResultsError) in
            guard let whole = try? ResultPath(root: root, allowsOutside: allowsOutside).prepare(path) else {
                return false
            }
            return container.isInPlace(whole, committed)
        }
        return isInPlace ?? false
    }

    /// The current sizes of files of records in bytes, by their paths in the journal, without missing files.
    package func sizes(of paths: [String]) async -> [String: Int] {
        let root = self.path
        let sizes = try? await thread.run { () throws(ResultsError) in
            var sizes: [String: Int] = [:]
            for path in paths {
                let whole = path.utf8.first == UInt8(ascii: "/") ? path : "\(root)/\(path)"
                sizes[path] = FileContents.canonicalPath(whole).flatMap(FolderContents.size)
            }
            return sizes
        }
        return sizes ?? [:]
    }

    /// Notes who writes a file, and the unfinished one beside it. Several steps may write tables of one database.
    private func claim(
        _ path: String,
        in container: RecordContainer,
        of step: String,
        as text: String
    ) throws(ResultPathError) {
        let names = container.names(of: path)
        let isFree = writers.withLock { writers in
            let taken = names.compactMap { writers[$0.hashValue] }
            guard taken.allSatisfy({ $0 == step.hashValue }) else { return false }
            if case .table = container {
                let database = Self.databaseMark
                guard writers[path.hashValue, default: database] == database else { return false }
                writers[path.hashValue] = database
            }
            for name in names { writers[name.hashValue] = step.hashValue }
            return true
        }
        guard isFree else { throw .refused("'\(text)' is written by another step of this run, or for another element") }
    }

    /// Stands for the steps that write tables of a database.
    private static let databaseMark = "\0database".hashValue

    /// Throws for a database that is a symbolic link: SQLite would follow it out of the folder.
    private static func refuseLink(_ path: String, as text: String) throws(ResultPathError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
        throw .refused("'\(text)' is a symbolic link, which a database in the results folder may not be")
    }
}
