import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Copies the files of runs from one folder to another.
package struct FolderCopy {
    /// The files that were copied, relative to the folder.
    private var copied: Set<String> = []

    /// Creates a copy without files.
    package init() {}

    /// The files that are not copied, because they belong to a run as a whole.
    private static let ownFiles: Set<String> = Set(RunFileNames.all).subtracting([RunFileNames.bodies])

    /// A file that two runs have, with different contents.
    package struct Conflict: Error, Sendable {
        /// The path of the file, relative to the folder.
        package let path: String
    }

    /// Copies the files that the steps of a run have written, and the bodies of responses. Links are not copied, because
    /// no run writes any.
    ///
    /// - Parameters:
    ///   - isSkipped: Whether the file at a path, relative to the folder, is not copied.
    ///   - isShared: Whether a file that was already copied from another run may have another content.
    /// - Throws: ``Conflict``, or the error of a file.
    package mutating func copyFiles(
        from source: String,
        to target: String,
        except isSkipped: (String) -> Bool,
        isShared: (String) -> Bool
    ) throws {
        try Self.copy("", from: source, to: target) { path in
            if Self.ownFiles.contains(path) || isSkipped(path) || Self.isTemporary(path) { return false }
            // What an earlier merge left in the folder is replaced.
            if copied.insert(path).inserted { return true }
            if isShared(path) { return false }
            guard try Self.isEqual("\(source)/\(path)", "\(target)/\(path)") else { throw Conflict(path: path) }
            return false
        }
    }

    /// Copies a whole run, its journal last: if the copy is interrupted, the folder is not that of a run.
    package static func copyRun(from source: String, to target: String) throws {
        try FolderContents.make(target)
        try copy("", from: source, to: target) { path in
            path != RunFileNames.journal && !isTemporary(path)
        }
        sync()
        try OutputFile.replaceDurably("\(target)/\(RunFileNames.journal)") { sink throws(ResultsError) in
            try read("\(source)/\(RunFileNames.journal)", sink)
        }
    }

    private static func isTemporary(_ path: String) -> Bool {
        FileContents.name(of: path).hasPrefix(".") && path.hasSuffix(".tmp")
    }

    /// Copies the files in a folder for which a function returns `true`.
    private static func copy(
        _ folder: String,
        from source: String,
        to target: String,
        _ isWanted: (String) throws -> Bool
    ) throws {
        let names = try FolderListing.names(in: folder.isEmpty ? source : "\(source)/\(folder)", limit: .max)
        for name in names.sorted() {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var status = stat()
            guard lstat("\(source)/\(path)", &status) == 0 else {
                throw ResultsError(cannot: "read", "\(source)/\(path)")
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try copy(path, from: source, to: target, isWanted)
            case S_IFREG where try isWanted(path):
                try FolderContents.make(FileContents.folder(of: "\(target)/\(path)"))
                let file = try OutputFile("\(target)/\(path)", .any)
                try file.cut(to: 0)
                try read("\(source)/\(path)") { piece throws(ResultsError) in try file.write(piece) }
            default: break
            }
        }
    }

    private static func read(
        _ path: String,
        _ sink: ([UInt8]) throws(ResultsError) -> Void
    ) throws(ResultsError) {
        let file = try InputFile(path)
        while case let piece = try file.next(1 << 20), !piece.isEmpty { try sink(piece) }
    }

    private static func isEqual(_ first: String, _ second: String) throws -> Bool {
        guard FolderContents.size(of: first) == FolderContents.size(of: second) else { return false }
        let firstFile = try InputFile(first)
        let secondFile = try InputFile(second)
        while true {
            let piece = try firstFile.next(1 << 20)
            guard try secondFile.next(1 << 20) == piece else { return false }
            if piece.isEmpty { return true }
        }
    }
}
