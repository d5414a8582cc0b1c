import WaybillPlatform
import WaybillRuntime

/// Resolves the path of a file of results, and creates missing parent folders.
///
/// Symbolic links on the way are followed as long as they lead to a location in the folder of the results. A link in the
/// place of the file is replaced in that folder, and followed outside it: there, it belongs to others.
struct ResultPath {
    /// The folder of the results.
    let root: String
    /// Whether files may be outside that folder.
    let allowsOutside: Bool
    /// Whether a step of the run writes a file to a resolved path, which is then no folder.
    var isTaken: (_ path: String) -> Bool = { _ in false }

    /// Returns the resolved path of a file for a path relative to the root. Nothing is created for a refused path.
    func prepare(_ text: String) throws(ResultsError) -> String {
        guard !text.isEmpty else { throw .refused("the file's path is empty") }
        guard !text.utf8.contains(0) else { throw .refused("the file's path contains a NUL character") }
        var names: [Substring] = []
        var isInside = text.utf8.first != UInt8(ascii: "/")
        for name in FileContents.names(in: text) where name != "." {
            if name != ".." {
                names.append(name)
            } else if names.popLast() == nil {
                isInside = false
            }
        }
        guard isInside || allowsOutside else { throw .refused("'\(text)' is outside the results folder") }
        guard let name = names.last, !["", ".", ".."].contains(FileContents.name(of: text))
        else { throw .refused("'\(text)' is the path of a folder, not of a file") }
        guard isInside else {
            let path = FileContents.path(text, in: root)
            try checkReplaceable(path, as: text, followsLinks: true)
            let target = FileContents.target(of: path)
            var folder = FileContents.resolvedPath(FileContents.folder(of: target))
            var outer = folder
            while outer != "/", outer != "." {
                try checkFolder(outer, of: text)
                outer = FileContents.folder(of: outer)
            }
            try FolderContents.make(folder)
            folder = FileContents.resolvedPath(folder)
            try check(text, named: name, in: FileContents.folder(of: path))
            try check(text, named: Substring(FileContents.name(of: target)), in: folder)
            return FileContents.path(FileContents.name(of: target), in: folder)
        }
        if let first = names.first, RunFileNames.all.contains(String(first)) { throw Self.reserved(text) }
        let folder = try folder(names.dropLast(), of: text)
        try check(text, named: name, in: folder)
        try checkReplaceable("\(folder)/\(name)", as: text)
        return "\(folder)/\(name)"
    }

    /// Returns the folder with these names in the root, and creates it if necessary. It is checked after each name that
    /// is a link.
    private func folder(_ names: some Collection<Substring>, of text: String) throws(ResultsError) -> String {
        guard let root = FileContents.canonicalPath(root) else { throw ResultsError(cannot: "open", root) }
        var folder = root
        for name in names {
            let path = "\(folder)/\(name)"
            try checkFolder(path, of: text)
            if unsafe mkdir(path, 0o777) != 0, errno != EEXIST { throw ResultsError(cannot: "create", path) }
            guard let canonical = FileContents.canonicalPath(path) else { throw ResultsError(cannot: "open", path) }
            guard
                allowsOutside || canonical.utf8.starts(with: "\(root)/".utf8) || canonical.utf8.elementsEqual(root.utf8)
            else {
                throw .refused("'\(path)' leads out of the results folder")
            }
            folder = canonical
        }
        return folder
    }

    /// Throws for a file that a run itself writes, whatever path leads to its folder.
    private func check(_ text: String, named name: Substring, in folder: String) throws(ResultsError) {
        if RunFileNames.isOfDatabase(name) {
            throw .refused("'\(text)' cannot be written: this name is reserved for SQLite's own files")
        }
        guard RunFileNames.all.contains(String(name)), let root = FileContents.canonicalPath(root) else { return }
        let folder = FileContents.canonicalPath(folder)
        if folder == root || folder == "\(root)/\(RunFileNames.bodies)" { throw Self.reserved(text) }
    }

    /// Throws if a file cannot be put at a path, so that this does not fail only after the requests.
    private func checkReplaceable(
        _ path: String,
        as text: String,
        followsLinks: Bool = false
    ) throws(ResultsError) {
        guard let obstacle = FileReplacement.obstacle(at: path, followsLinks: followsLinks) else { return }
        throw .refused("'\(text)' cannot be written: \(obstacle.message)")
    }

    /// Throws if a folder of a file cannot exist.
    private func checkFolder(_ path: String, of text: String) throws(ResultsError) {
        guard isTaken(path) else { return }
        throw .refused(
            "'\(text)' cannot be written: another step, entry or element of this run writes the file '\(path)'"
        )
    }

    private static func reserved(_ text: String) -> ResultsError {
        .refused("'\(text)' cannot be written: this name is reserved for the run's own files")
    }
}
