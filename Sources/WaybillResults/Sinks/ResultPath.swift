import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why a file of results cannot be written where it should be.
package enum ResultPathError: Error, Sendable, Equatable {
    /// The path is none that may be written to; in a sentence without a full stop.
    case refused(String)
    /// The system does not let it.
    case file(ResultsError)
}

/// Finds out where a file of results goes, and makes the folders on the way.
///
/// Links on the way are followed, as long as they lead to somewhere in the folder of the results.
struct ResultPath {
    /// The folder of the results.
    let root: String
    /// Whether files may lie outside of it.
    let allowsOutside: Bool

    /// The path of a file whose path was given relative to the root. Nothing is made of a path that is refused.
    func prepare(_ text: String) throws(ResultPathError) -> String {
        guard !text.isEmpty else { throw .refused("the path of the file is empty") }
        guard !text.utf8.contains(0) else { throw .refused("the path of the file has a NUL in it") }
        var names: [Substring] = []
        var isInside = text.utf8.first != UInt8(ascii: "/")
        for name in text.split(separator: "/") where name != "." {
            if name != ".." {
                names.append(name)
            } else if names.popLast() == nil {
                isInside = false
            }
        }
        guard isInside || allowsOutside else { throw .refused("'\(text)' lies outside the results folder") }
        guard let name = names.last, let last = text.split(separator: "/", omittingEmptySubsequences: false).last,
            !["", ".", ".."].contains(last)
        else { throw .refused("'\(text)' names a folder, not a file") }
        guard isInside else {
            let path = FileContents.path(text, in: root)
            let folder = FileContents.folder(of: path)
            try make(folder)
            try check(text, named: name, in: folder)
            return path
        }
        if let first = names.first, RunFileNames.all.contains(String(first)) { throw Self.reserved(text) }
        let folder = try folder(names.dropLast())
        try check(text, named: name, in: folder)
        return "\(folder)/\(name)"
    }

    /// The folder of these names in the root, made where it is not there. It is looked at after each name where a link
    /// has led.
    private func folder(_ names: some Collection<Substring>) throws(ResultPathError) -> String {
        guard let root = FileContents.canonicalPath(root) else {
            throw .file(ResultsError(cannot: "open", root))
        }
        var folder = root
        for name in names {
            let path = "\(folder)/\(name)"
            if mkdir(path, 0o777) != 0, errno != EEXIST { throw .file(ResultsError(cannot: "create", path)) }
            guard let canonical = FileContents.canonicalPath(path) else {
                throw .file(ResultsError(cannot: "open", path))
            }
            guard allowsOutside || canonical.utf8.starts(with: "\(root)/".utf8) || canonical == root else {
                throw .refused("'\(path)' leads out of the results folder")
            }
            folder = canonical
        }
        return folder
    }

    private func make(_ folder: String) throws(ResultPathError) {
        do {
            try FolderContents.make(folder)
        } catch {
            throw .file(error)
        }
    }

    /// Throws for a file that a run writes about itself, by whatever way its folder is reached.
    private func check(_ text: String, named name: Substring, in folder: String) throws(ResultPathError) {
        if RunFileNames.isOfDatabase(name) {
            throw .refused("'\(text)' has the name of a file that SQLite makes beside a database")
        }
        guard RunFileNames.all.contains(String(name)), let root = FileContents.canonicalPath(root) else { return }
        let folder = FileContents.canonicalPath(folder)
        if folder == root || folder == "\(root)/\(RunFileNames.bodies)" { throw Self.reserved(text) }
    }

    private static func reserved(_ text: String) -> ResultPathError {
        .refused("'\(text)' is a file that every run writes")
    }
}
