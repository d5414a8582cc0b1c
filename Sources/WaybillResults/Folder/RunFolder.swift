import Synchronization
package import WaybillFormats
package import WaybillJSON
import WaybillRuntime

/// The folder for the results of one run.
package final class RunFolder: Sendable {
    /// The location of a run's folder.
    package enum Destination: Sendable, Equatable {
        /// A new folder in this one, named after the run. The link `latest` there is pointed to it soon afterwards.
        case new(under: String)
        /// This folder itself. If it contains an earlier run, that run's files are replaced, or the run is not created.
        case at(String, replacesRun: Bool = true)
    }

    /// The folder.
    package let path: String
    /// The events of the run.
    package let journal: Journal
    /// The unfinished earlier run in the folder, if this run replaced its results.
    package let replacedUnfinishedRun: RunID?

    package let run: RunID
    private let thread: FileThread
    private let disk: Disk
    private let bodies: BodyFolder
    /// The steps that have written files, by file path. Both are stored as hashes, because there may be a million
    /// files.
    private let writers = Mutex<[Int: Int]>([:])
    /// The files that no step may replace.
    private let protected = Mutex<[String]>([])

    /// Creates the folder, and so checks that results can be written at all.
    ///
    /// - Throws: An error if a folder or file cannot be created, if another run is writing to the folder, or if a file
    ///   that a run would write exists and is not from a run. Such a file is left untouched.
    ///
    /// - Parameters:
    ///   - suite: The folder of the suite to which the run belongs, which this process has locked.
    ///   - bodyLimit: The limit of the disk space for the bodies of responses, in bytes.
    package static func create(
        _ destination: Destination,
        for id: RunID,
        in suite: String? = nil,
        disk: Disk = .real,
        bodyLimit: Int = RunFolder.usualBodyLimit
    ) throws(ResultsError) -> RunFolder {
        let thread = try startThread()
        switch destination {
        case .new(let parent):
            let path = "\(parent)/\(id)"
            try FolderContents.checkParents(of: path, except: suite)
            let file = try FolderContents.make(path) { () throws(ResultsError) in
                let file = try OutputFile("\(path)/\(FolderContents.journal)", .new, disk: disk)
                guard file.lock() else { throw ResultsError("another process has locked the new run in '\(path)'") }
                return file
            }
            let folder = RunFolder(path: path, of: id, file, thread, disk, bodyLimit: bodyLimit)
            folder.journal.begin { () throws(ResultsError) in
                try FolderContents.leadLatest(in: parent, to: id.description)
            }
            return folder
        case .at(let path, let replacesRun):
            try FolderContents.checkParents(of: path, except: suite)
            var unfinished: RunID?
            let isNew = FolderContents.size(of: "\(path)/\(FolderContents.journal)") == nil
            let file = try FolderContents.make(path, attempts: 3) { () throws(ResultsError) in
                try FolderContents.claim(path, disk: disk, replacing: &unfinished, replacesRun: replacesRun)
            }
            // The process that has locked one of them may have done so after the first check.
            try FolderContents.checkParents(of: path, except: suite)
            // A suite has removed the journals of its earlier runs.
            if isNew, let suite { file.adoptPermissions(of: "\(suite)/\(RunFileNames.suite)") }
            return RunFolder(path: path, of: id, file, thread, disk, bodyLimit: bodyLimit, replacing: unfinished)
        }
    }

    /// Reopens the folder of a run to resume it: the journal continues after its last complete line.
    ///
    /// - Parameter suite: The folder of the suite to which the run belongs, which this process has locked.
    /// - Throws: An error if it cannot be opened, or if the run is still running.
    package static func reopen(
        _ path: String,
        after record: RunRecord,
        in suite: String? = nil
    ) throws(ResultsError) -> RunFolder {
        try FolderContents.checkBodies(in: path)
        let thread = try startThread()
        let file = try OutputFile("\(path)/\(FolderContents.journal)", .any)
        guard file.lock() else { throw ResultsError("the run in '\(path)' is still running") }
        // After the lock: who removes a suite locks it, and then looks for runs in it that are locked.
        try FolderContents.checkParents(of: path, except: suite)
        // Another process may have resumed and finished the run after the journal was read and before it was locked.
        var reader = JournalReader("\(path)/\(FolderContents.journal)")
        try reader.read { _ in }
        guard reader.length == record.length else {
            let message = "another process has resumed the run in '\(path)' in the meantime; try again"
            throw ResultsError(message)
        }
        FolderContents.clearTemporaries(path)
        let journal = try file.continued(at: record.length)
        return RunFolder(path: path, of: record.id, journal, thread, .real, length: record.length)
    }

    /// Starts a separate thread for files.
    static func startThread() throws(ResultsError) -> FileThread {
        do {
            return try FileThread()
        } catch {
            throw ResultsError("cannot start a thread for files: \(error)")
        }
    }

    private init(
        path: String,
        of run: RunID,
        _ file: consuming OutputFile,
        _ thread: FileThread,
        _ disk: Disk,
        length: Int = 0,
        bodyLimit: Int = RunFolder.usualBodyLimit,
        replacing unfinished: RunID? = nil
    ) {
        self.path = path
        self.run = run
        replacedUnfinishedRun = unfinished
        bodies = BodyFolder(
            "\(path)/\(FolderContents.bodies)",
            limit: bodyLimit,
            like: "\(path)/\(FolderContents.journal)"
        )
        self.thread = thread
        self.disk = disk
        journal = Journal(file, length: length, thread: thread)
    }

    /// Writes `sources.json`. It must be complete before the first request is sent: without it, the run cannot be
    /// resumed.
    package func keep(_ sources: @escaping @Sendable () -> RunSources) async throws(ResultsError) {
        let (path, journalPath) = ("\(path)/\(FolderContents.sources)", "\(path)/\(FolderContents.journal)")
        try await thread.run { () throws(ResultsError) in
            let text = sources().jsonText() + [UInt8(ascii: "\n")]
            // A resumed run usually has the same sources as before.
            let earlier = try? FileContents.read(path, limit: text.count)
            if earlier != text { try OutputFile.replace(path, with: text, like: journalPath) }
        }
    }

    /// Whether a run is currently writing to a folder.
    package static func isLocked(_ path: String) -> Bool { OutputFile.isLocked("\(path)/\(FolderContents.journal)") }

    /// Whether the journal in a folder has a complete line. A run that was killed before has sent nothing.
    package static func hasEvents(_ path: String) -> Bool {
        guard let file = try? InputFile("\(path)/\(FolderContents.journal)") else { return false }
        while let piece = try? file.next(1 << 20), !piece.isEmpty {
            if piece.contains(UInt8(ascii: "\n")) { return true }
        }
        return false
    }

    /// Whether a folder has the files of a merge that has not finished.
    package static func isUnfinishedMerge(_ path: String) -> Bool {
        FolderContents.size(of: "\(path)/\(FolderContents.mergedJournal)") != nil && !hasEvents(path)
    }

    /// Returns the summary of a finished run; `nil` if there is none.
    package static func result(in folder: String) -> RunResult? {
        guard let bytes = try? FolderContents.file(FolderContents.result, in: folder).read(limit: 1 << 30),
            let json = try? JSONParser.ownFiles.parse(bytes)
        else { return nil }
        return RunResult(json: json)
    }

    /// Returns the outputs of a finished run; `nil` if their file is missing or damaged.
    package static func outputs(in folder: String) -> JSON? {
        let bytes = try? FolderContents.file(FolderContents.outputs, in: folder).read(limit: 256 << 20)
        let outputs = bytes.flatMap { try? JSONParser.ownFiles.parse($0) }
        return outputs?.kind == .object ? outputs : nil
    }

    /// Finishes the run: writes `outputs.json` (for each graph, in this order, the object of its outputs) and
    /// `run.json`, waits until they and the journal are on the disk, and unlocks the folder.
    ///
    /// - Parameter state: The state for the next run, and its file. It is stored last: if the process ends before that,
    ///   nothing has changed for the next run.
    /// - Throws: The error that occurred, or the first error of the journal since it was opened.
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
        let journalPath = "\(path)/\(FolderContents.journal)"
        try await journal.finish { () throws(ResultsError) in
            var files = files.map { ($0, $1 + [UInt8(ascii: "\n")]) }
            if let state { files.append((state.file.target, StateFile.text(of: state.content))) }
            // The files of an earlier run were removed when this one started, except the journal.
            try OutputFile.replaceDurably(files, like: journalPath)
            if let state { OutputFile.syncFolder(of: state.file.path) }
        }
    }

    /// What happened to the body of a failed response.
    package enum KeptBody: Sendable, Equatable {
        /// It was kept in the file with this path in the folder, such as `bodies/main.login.json`.
        case kept(String)
        /// It was not kept, because the limit of the disk space for bodies is reached; for the first time, or again.
        case noRoom(isFirst: Bool)
    }

    /// The default limit of the disk space for the bodies of a run, in bytes.
    package static let usualBodyLimit = 256 << 20

    /// Keeps the body of a response, or of a request. A later body of the same step and page replaces it.
    ///
    /// - Parameter page: The number of the page, from 1, if each page has a file of its own.
    package func keep(
        body: RedactedBytes,
        ofRequest: Bool = false,
        of step: String,
        page: Int? = nil,
        contentType: String?
    ) async throws(ResultsError) -> KeptBody {
        let name = BodyName.of(step: step, page: page, ofRequest: ofRequest, contentType: contentType)
        return try await thread.run { [bodies] () throws(ResultsError) in try bodies.keep(body.bytes, as: name) }
    }

    /// Writes a file, which may be outside the folder, unless it already has this content. The file is replaced
    /// atomically; of a symbolic link, the file that it leads to. If that fails, the run has not been recorded completely.
    ///
    /// - Returns: Whether no file existed before; `nil` if the file has this content.
    package func replace(_ path: String, with content: [UInt8]) async throws(ResultsError) -> Bool? {
        try await thread.run { [journal] () throws(ResultsError) in
            let before = try? FileContents.read(path, limit: .max)
            if before == content { return nil }
            let target = FileContents.target(of: path)
            do throws(ResultsError) {
                try FolderContents.make(FileContents.folder(of: target))
                try OutputFile.replaceDurably([(target, content)])
            } catch {
                journal.fail(withRecords: error)
                throw error
            }
            return before == nil
        }
    }

    /// Excludes files that the run reads or writes itself from what steps may write.
    package func protect(_ paths: [String]) { protected.withLock { $0 += paths } }

    /// Returns the resolved path of a file that a step writes. Missing parent folders are created.
    private func prepare(_ path: String, allowsOutside: Bool) throws(ResultsError) -> String {
        let whole = try ResultPath(root: self.path, allowsOutside: allowsOutside) { path in
            self.writers.withLock { $0[CodePoints(path).hashValue] != nil }
        }.prepare(path)
        if let file = FileIdentity(whole), protected.withLock({ $0.contains { FileIdentity($0) == file } }) {
            throw .refused("'\(path)' would replace a file that the run reads or writes itself")
        }
        if FileLock.protects(whole) { throw .refused("'\(path)' would replace \(RunFiles.lockedFile)") }
        let root = FileContents.canonicalPath(self.path) ?? self.path
        if let folder = RunFiles.folderOfRun(owning: whole, inside: { $0.utf8.elementsEqual(root.utf8) }) {
            throw .refused("'\(path)' would replace a file of the run in '\(folder)'")
        }
        return whole
    }

    /// Starts a file of records, or continues one.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the folder. Missing parent folders are created.
    ///   - allowsOutside: Whether the path may lead out of the folder.
    ///   - step: The path of the step that writes the file. No other step may write to the same file.
    package func records(
        at path: String,
        _ writer: any RecordWriter,
        in container: RecordContainer = .file,
        allowsOutside: Bool = false,
        of step: String,
        from resumption: RecordFileWriter.Resumption? = nil
    ) async throws(ResultsError) -> RecordFileWriter {
        let onFailure: @Sendable (ResultsError) -> Void = { [journal] in journal.fail(withRecords: $0) }
        let fileWriter = try await thread.run { () throws(ResultsError) -> RecordFileWriter in
            let (whole, resolved) = try container.resolved(at: path) { (path, container, index) throws(ResultsError) in
                let entry = index.map { Self.owner(ofEntry: $0, of: step) } ?? step
                let whole = try self.open(path, in: container, allowsOutside, of: entry)
                return (whole, self.owner(of: whole))
            }
            if case .several = resolved { try self.claim(whole, in: resolved, of: step, as: path) }
            return try RecordFileWriter(
                whole,
                writer,
                in: resolved,
                ownedBy: self.owner(of: whole),
                from: resumption,
                thread: self.thread,
                disk: self.disk,
                onFailure: onFailure
            )
        }
        journal.follow(fileWriter)
        return fileWriter
    }

    /// Returns the resolved path of a file or database that a step, or an entry of its `write`, is about to write.
    private func open(
        _ path: String,
        in container: RecordContainer,
        _ allowsOutside: Bool,
        of step: String
    ) throws(ResultsError) -> String {
        let whole = try prepare(path, allowsOutside: allowsOutside)
        try claim(whole, in: container, of: step, as: path)
        guard case .table = container else { return whole }
        if !allowsOutside { try Self.refuseLink(whole, as: path) }
        try SQLiteDatabase.checkFiles(of: whole)
        return whole
    }

    /// Returns the path for opening a file that a step downloads. Missing parent folders are created.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the folder.
    ///   - allowsOutside: Whether the path may lead out of the folder.
    ///   - step: The path of the step that downloads the file, and that no other step may share it with; `nil` if
    ///     others may write to it.
    package func path(
        ofDownload path: String,
        allowsOutside: Bool,
        for step: String?
    ) async throws(ResultsError) -> String {
        try await thread.run { () throws(ResultsError) in
            let whole = try self.prepare(path, allowsOutside: allowsOutside)
            if let step { try self.claim(whole, in: .file, of: step, as: path) }
            return whole
        }
    }

    /// Returns this run for a file outside its folder, which other runs may write as well.
    private func owner(of file: String) -> RunID? {
        let root = FileContents.canonicalPath(path) ?? path
        return file.utf8.starts(with: "\(root)/".utf8) ? nil : run
    }

    /// Whether files of records were moved to their paths. The journal of a killed run may not record that.
    ///
    /// - Parameter sizes: The size of each file.
    package func isInPlace(
        _ path: String,
        in container: RecordContainer,
        _ sizes: [Int],
        allowsOutside: Bool
    ) async -> Bool {
        let isInPlace = try? await thread.run { () throws(ResultsError) in
            var known: [Int?] = []
            let (whole, resolved) = try container.resolved(at: path) { (path, _, index) throws(ResultsError) in
                let whole = try ResultPath(root: self.path, allowsOutside: allowsOutside).prepare(path)
                let owner = self.owner(of: whole)
                known.append(owner == nil ? sizes.dropFirst(index ?? 0).first : nil)
                return (whole, owner)
            }
            return resolved.isInPlace(whole, from: resolved.part(of: whole, ownedBy: self.owner(of: whole)), known)
        }
        return isInPlace ?? false
    }

    /// Excludes files that were complete before the run was resumed from what other steps may write.
    ///
    /// - Returns: Their current sizes in bytes, by their paths in the journal. Missing files are left out.
    package func claim(_ files: [(step: String, file: RunFiles.File)]) async -> [CodePoints: Int] {
        let counts = files.reduce(into: [:]) { $0[$1.step, default: 0] += 1 }
        let sizes = try? await thread.run { () throws(ResultsError) in
            var (sizes, indices) = ([CodePoints: Int](), [String: Int]())
            for (step, file) in files {
                let text = file.path.string
                let whole = FileContents.path(text, in: self.path)
                sizes[CodePoints(text)] = FileContents.canonicalPath(whole).flatMap(FolderContents.size)
                let isInside = text.utf8.first != UInt8(ascii: "/") && !FileContents.names(in: text).contains("..")
                let resolved = FileContents.resolvedPath(whole, followsLink: !isInside)
                let index = indices[step, default: 0]
                indices[step] = index + 1
                let owner = counts[step]! > 1 ? Self.owner(ofEntry: index, of: step) : step
                self.writers.withLock { writers in
                    if case .written(let written) = file, let table = written.table {
                        writers[CodePoints(resolved).hashValue] = Self.databaseMark
                        writers[CodePoints(SQLiteTable.name(table, in: resolved)).hashValue] = owner.hashValue
                    } else {
                        writers[CodePoints(resolved).hashValue] = owner.hashValue
                    }
                }
            }
            return sizes
        }
        return sizes ?? [:]
    }

    private static func owner(ofEntry index: Int, of step: String) -> String { "\(step)\0\(index)" }

    /// Records which step writes a file and its unfinished `.part` file. Several steps may write tables of one
    /// database.
    private func claim(
        _ path: String,
        in container: RecordContainer,
        of step: String,
        as text: String
    ) throws(ResultsError) {
        let names = container.names(of: path)
        let isFree = writers.withLock { writers in
            let taken = names.compactMap { writers[CodePoints($0).hashValue] }
            guard taken.allSatisfy({ $0 == step.hashValue }) else { return false }
            if case .table = container {
                let (database, path) = (Self.databaseMark, CodePoints(path).hashValue)
                guard writers[path, default: database] == database else { return false }
                writers[path] = database
            }
            for name in names { writers[CodePoints(name).hashValue] = step.hashValue }
            return true
        }
        guard isFree else {
            throw .refused("'\(text)' is already written by another step, entry or element of this run")
        }
    }

    /// The value that represents all steps that write tables of a database.
    private static let databaseMark = "\0database".hashValue

    /// Throws for a database that is a symbolic link, because SQLite would follow it out of the folder.
    private static func refuseLink(_ path: String, as text: String) throws(ResultsError) {
        guard FolderContents.status(of: path)?.kind == .link else { return }
        throw .refused("'\(text)' is a symbolic link; a database in the results folder must be a file")
    }
}
