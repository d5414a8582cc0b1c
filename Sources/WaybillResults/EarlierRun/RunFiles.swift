import WaybillRuntime

/// The files that the steps of a run have written and downloaded, as its journal lists them. The files of elements are
/// left out: a `forEach` may have a million elements, each with a file.
package struct RunFiles: Sendable {
    /// A file.
    package enum File: Sendable, Equatable {
        case written(RunEvent.WrittenFile)
        case downloaded(RunEvent.DownloadedFile)

        /// The path.
        package var path: RedactedText {
            switch self {
            case .written(let file): file.path
            case .downloaded(let file): file.path
            }
        }

        /// The size in bytes; `nil` for a database, which has other tables.
        package var bytes: Int? {
            switch self {
            case .written(let file): file.table == nil ? file.bytes : nil
            case .downloaded(let file): file.bytes
            }
        }

        /// The CRC-32 of the file and its SHA-256 in hexadecimal; `nil` if the journal does not have it.
        package var digest: (crc32: UInt32?, sha256: String?) {
            switch self {
            case .written(let file): (file.checksum, nil)
            case .downloaded(let file): (nil, file.sha256)
            }
        }

        /// The path and the table, which identify the file of a step.
        fileprivate var name: [String?] {
            switch self {
            case .written(let file): [file.path.string, file.table]
            case .downloaded(let file): [file.path.string]
            }
        }
    }

    /// The files and the paths of their steps, in the order in which they were completed.
    package private(set) var files: [(step: String, file: File)] = []
    /// Whether there are files of elements.
    private(set) var hasFilesOfElements = false

    /// Reads the files from the journal in a run's folder, up to the first damaged line. A run without a folder has none.
    package init(folder: String?) {
        guard let folder else { return }
        var reader = JournalReader("\(folder)/\(FolderContents.journal)", reading: { Self.part(of: $0, Self.types) })
        try? reader.readEvents { take($0) }
    }

    /// Returns the files of the step at a path.
    package func of(step: String) -> [File] { files.filter { $0.step == step }.map(\.file) }

    /// What `FileLock.protects`, in messages.
    package static let lockedFile = "a state, a cookie jar or a token file, or its lock"

    /// Returns the folder of the run or suite that has a file among its results, or writes it about itself; `nil` if there is
    /// none.
    ///
    /// - Parameters:
    ///   - path: The resolved path of the file.
    ///   - isOwn: Whether a folder is that of the run that wants to write the file, which decides itself about what is there.
    package static func folderOfRun(owning path: String, inside isOwn: (_ folder: String) -> Bool) -> String? {
        var inner = path
        while inner != "/", inner != ".", case let folder = FileContents.folder(of: inner), !isOwn(folder) {
            let name = FileContents.name(of: inner)
            if name == RunFileNames.order || RunFileNames.all.contains(name) && FolderContents.isOfRun(folder) {
                return folder
            }
            if FolderContents.exists("\(folder)/\(FolderContents.journal)"), has(path, in: folder) { return folder }
            inner = folder
        }
        return nil
    }

    /// Whether a file is one of those that a run has recorded, or an unfinished one, or has an unfinished one beside it.
    private static func has(_ path: String, in folder: String) -> Bool {
        let isUnfinished = RunFileNames.isOfUnfinishedFile(FileContents.name(of: path))
        let parts = [RecordContainer.file, .several([])].map { $0.part(of: path) }
        if (isUnfinished ? [path] : parts).contains(where: FolderContents.exists) { return true }
        guard let file = FileIdentity(path) else { return false }
        return recorded(in: folder, named: [FileContents.name(of: path)]).contains { FileIdentity($0) == file }
    }

    /// Whether a run has recorded files, or has unfinished ones, in a folder inside its own, whose path is resolved.
    static func has(filesBelow path: String, in folder: String) -> Bool {
        guard FolderContents.exists("\(folder)/\(FolderContents.journal)") else { return false }
        if "\(path)/".utf8.starts(with: "\(folder)/\(RunFileNames.bodies)/".utf8) { return true }
        let names = (try? FolderListing.names(in: path, limit: 10_000)) ?? []
        return names.contains { RunFileNames.isOfUnfinishedFile($0) }
            || recorded(in: folder).contains { FileContents.resolvedPath($0).utf8.starts(with: "\(path)/".utf8) }
    }

    /// Returns the files, or those with one of some names, that a run in a folder has recorded, also of its elements: what its steps
    /// have written and downloaded, and its state with the lock.
    package static func recorded(in folder: String, named names: Set<String>? = nil) -> [String] {
        var reader = JournalReader("\(folder)/\(FolderContents.journal)") { part(of: $0, types + [startType]) }
        var files: [String] = []
        try? reader.readEvents { event in
            if case .runStarted(let start) = event.kind { files += start.stateFile.map(StateFile.files) ?? [] }
            guard let path = File(event.kind)?.path.string, names?.contains(FileContents.name(of: path)) ?? true else {
                return
            }
            files.append(FileContents.path(path, in: folder))
        }
        return files
    }

    private mutating func take(_ event: RunEvent) {
        guard let step = event.step, let file = File(event.kind) else { return }
        guard !step.contains("[") else { return hasFilesOfElements = true }
        // A step that ran again replaced its earlier file.
        files.removeAll { $0.step == step && $0.file.name == file.name }
        files.append((step, file))
    }

    private static let types = [Array("write.committed\"".utf8), Array("download.committed\"".utf8)]
    private static let startType = Array("run.started\"".utf8)
    private static let typeStart = Array("\"type\":\"".utf8)

    /// Returns a journal line of one of some types; `nil` for any other.
    private static func part(of line: [UInt8], _ types: [[UInt8]]) -> [UInt8]? {
        // The type is the third member of an event.
        guard let start = line.prefix(160).firstRange(of: typeStart)?.upperBound else { return nil }
        return types.contains { line[start...].starts(with: $0) } ? line : nil
    }
}

extension RunFiles.File {
    /// The file that an event reports as complete; `nil` for any other event.
    init?(_ event: RunEvent.Kind) {
        switch event {
        case .writeCommitted(let file): self = .written(file)
        case .downloadCommitted(let file): self = .downloaded(file)
        default: return nil
        }
    }
}
