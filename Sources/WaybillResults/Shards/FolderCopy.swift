import WaybillFormats
package import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// Copies the files of runs from one folder to another.
package enum FolderCopy {
    /// Throws if a file of a run is missing, does not have the size or content that its journal records, or is outside the
    /// folder of the run because a link on the way leads there.
    ///
    /// - Parameters:
    ///   - name: Its path, relative to the folder.
    ///   - bytes: Its size; `nil` if the journal does not have it.
    ///   - digest: The CRC-32 and the SHA-256 of its content; `nil` if the journal does not have it.
    package static func checkFile(
        _ name: String,
        in folder: String,
        of bytes: Int?,
        digest: (crc32: UInt32?, sha256: String?) = (nil, nil)
    ) throws(ResultsError) {
        let path = "\(folder)/\(name)"
        guard isRegularFile(path) else {
            throw ResultsError("'\(path)' is missing; the journal of its run lists it")
        }
        if let bytes, let size = FolderContents.size(of: path), size != bytes {
            throw ResultsError("'\(path)' has \(size) bytes; the journal of its run says \(bytes)")
        }
        try checkFolder(of: path, in: folder)
        guard digest.crc32 != nil || digest.sha256 != nil else { return }
        var (crc32, sha256) = (CRC32(), Digest(.sha256))
        try read(path) { piece in
            if digest.crc32 != nil { crc32.add(piece[...]) } else { sha256.update(piece) }
        }
        if digest.crc32.map({ $0 != crc32.value }) ?? (digest.sha256 != Hexadecimal.encode(sha256.value)) {
            throw ResultsError("'\(path)' has other content than the journal of its run says")
        }
    }

    /// Throws if the folder of a path is not inside another one, because a link on the way leads out of it.
    private static func checkFolder(of path: String, in root: String) throws(ResultsError) {
        guard let root = FileContents.canonicalPath(root),
            let folder = FileContents.canonicalPath(FileContents.folder(of: path)),
            folder == root || folder.utf8.starts(with: "\(root)/".utf8)
        else {
            throw ResultsError("'\(path)' is not in the folder of its run: a symbolic link leads out of it")
        }
    }

    /// Copies a file of a run.
    ///
    /// - Parameter path: Its path, relative to the folder of the run.
    package static func copyFile(_ path: String, from source: String, to target: String) throws(ResultsError) {
        try checkFolder(of: "\(source)/\(path)", in: source)
        try copy("\(source)/\(path)", to: "\(target)/\(path)", in: target)
    }

    /// Copies the bodies of failed responses that are not yet there.
    package static func copyBodies(from source: String, to target: String) throws(ResultsError) {
        let bodies = FolderContents.bodies
        let names = (try? FolderListing.names(in: "\(source)/\(bodies)", limit: .max)) ?? []
        for name in names where !isTemporary(name) && isRegularFile("\(source)/\(bodies)/\(name)") {
            let path = "\(target)/\(bodies)/\(name)"
            guard FolderContents.size(of: path) == nil else { continue }
            try checkFolder(of: "\(source)/\(bodies)/\(name)", in: source)
            try copy("\(source)/\(bodies)/\(name)", to: path, in: target)
        }
    }

    /// Whether two files have the same content.
    package static func isEqual(_ first: String, _ second: String) throws(ResultsError) -> Bool {
        guard FolderContents.size(of: first) == FolderContents.size(of: second) else { return false }
        let firstFile = try InputFile(first)
        let secondFile = try InputFile(second)
        while true {
            let piece = try firstFile.next(1 << 20)
            guard try secondFile.next(1 << 20) == piece else { return false }
            if piece.isEmpty { return true }
        }
    }

    /// Copies a whole run, its journal last: if the copy is interrupted, the folder is not that of a run. If the process
    /// ends right after it, the copy is an unfinished run of the given part.
    ///
    /// - Parameter part: The part of the run that continues in the copy.
    /// - Throws: An error if another process is copying a run to the folder, or has done so.
    package static func copyRun(from source: String, to target: String, continuingAs part: JSON) throws {
        try FolderContents.checkParents(of: target, except: nil)
        let folder = try FolderContents.make(target) { () throws(ResultsError) in try OutputFile(target, .folder) }
        guard folder.lock(), FolderContents.size(of: "\(target)/\(RunFileNames.journal)") == nil else {
            throw ResultsError("another process is starting the run in '\(target)'; try again")
        }
        try copy("", from: source, to: target) { path in
            path != RunFileNames.journal && !isTemporary(path)
        }
        sync()
        let journal = "\(source)/\(RunFileNames.journal)"
        var reader = JournalReader(journal)
        var start = JSONObject()
        try reader.read { event in if start.isEmpty { start = event.object ?? start } }
        start["at"] = .string(Timestamp.now().description)
        start["part"] = part
        start["resumed"] = true
        let line = JSONStream.journalLine(start, number: reader.lastNumber + 1)
        var rest = reader.length
        try OutputFile.replaceDurably("\(target)/\(RunFileNames.journal)") { write throws(ResultsError) in
            try read(journal) { piece throws(ResultsError) in
                try write(Array(piece.prefix(rest)))
                rest -= min(rest, piece.count)
            }
            try write(line)
        }
        folder.unlock()
    }

    private static func isTemporary(_ path: String) -> Bool {
        FileContents.name(of: path).hasPrefix(".") && path.hasSuffix(".tmp")
    }

    /// Copies the files in a folder for which a function returns `true`. Links are not copied, because no run writes
    /// any.
    private static func copy(
        _ folder: String,
        from source: String,
        to target: String,
        _ isWanted: (String) -> Bool
    ) throws {
        let names = try FolderListing.names(in: folder.isEmpty ? source : "\(source)/\(folder)", limit: .max)
        for name in names.sorted() {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            switch FolderContents.status(of: "\(source)/\(path)")?.kind {
            case .folder: try copy(path, from: source, to: target, isWanted)
            case .file where isWanted(path): try copy("\(source)/\(path)", to: "\(target)/\(path)", in: target)
            case nil: throw ResultsError(cannot: "read", "\(source)/\(path)")
            default: break
            }
        }
    }

    private static func copy(_ source: String, to target: String, in root: String) throws(ResultsError) {
        try FolderContents.make(FileContents.folder(of: target))
        try checkFolder(of: target, in: root)
        let file = try OutputFile(target, .any).continued(at: 0)
        try read(source) { piece throws(ResultsError) in try file.write(piece) }
    }

    private static func read(
        _ path: String,
        _ write: ([UInt8]) throws(ResultsError) -> Void
    ) throws(ResultsError) {
        let file = try InputFile(path)
        while case let piece = try file.next(1 << 20), !piece.isEmpty { try write(piece) }
    }

    private static func isRegularFile(_ path: String) -> Bool {
        FolderContents.status(of: path)?.kind == .file
    }
}
