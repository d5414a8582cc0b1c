import WaybillDiagnostics
import WaybillPlatform

/// The folder that must contain the files that a manifest reads, unless they may be anywhere.
package struct FolderBoundary: Sendable, Hashable {
    /// The folder with symbolic links resolved, as far as it exists.
    private let folder: String?
    private let allowsOutside: Bool
    /// What to do if a file is outside, for the messages of errors.
    private let hint: String?

    /// No boundary: files may be anywhere.
    package static let anywhere = FolderBoundary(folder: "/", allowsOutside: true)

    /// Creates the boundary around a folder.
    package init(folder: String, allowsOutside: Bool, hint: String? = nil) {
        self.folder = Self.resolved(folder)
        self.allowsOutside = allowsOutside
        self.hint = hint
    }

    /// The error for a path that leads out of the folder.
    package func refusal(of path: String) -> FileError { FileError(path: path, reason: .outside(hint: hint)) }

    /// Opens a file for reading. A pipe without a writer does not block.
    ///
    /// Symbolic links are resolved, the result is checked, and exactly that file is opened: a link that replaces it in
    /// the meantime is not followed.
    ///
    /// - Returns: The file's descriptor, which the caller closes.
    package func open(_ path: String) throws(FileError) -> Int32 {
        // Swift strings may contain NUL, where C paths end.
        guard !path.utf8.contains(0) else { throw FileError(path: path, reason: .notFound) }
        let descriptor: Int32
        if allowsOutside {
            descriptor = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        } else {
            guard let resolved = FileContents.canonicalPath(path) else { throw FileError(path: path, errno: errno) }
            guard isInside(resolved) else { throw refusal(of: path) }
            descriptor = Self.openWithoutLinks(resolved)
        }
        guard descriptor >= 0 else { throw FileError(path: path, errno: errno) }
        return descriptor
    }

    /// Opens an absolute path, none of whose names may be a link; negative with `errno` if that fails.
    private static func openWithoutLinks(_ path: String) -> Int32 {
        let names = FileContents.names(in: path).map(String.init)
        var folder = openat(AT_FDCWD, "/", waybill_path_only() | O_DIRECTORY | O_CLOEXEC)
        for (index, name) in names.enumerated() where folder >= 0 {
            let isLast = index == names.count - 1
            let flags = isLast ? O_RDONLY | O_NONBLOCK : waybill_path_only() | O_DIRECTORY
            let next = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC)
            let number = errno
            close(folder)
            errno = number
            folder = next
        }
        return folder
    }

    /// Whether the file at a path, after resolving symbolic links, is the folder or inside it; false if there is no
    /// file.
    package func contains(_ path: String) -> Bool {
        if allowsOutside { return true }
        guard let path = FileContents.canonicalPath(path) else { return false }
        return isInside(path)
    }

    /// Whether a path leads to the folder or into it, even if nothing exists there yet.
    package func encloses(_ path: String) -> Bool {
        allowsOutside || Self.resolved(path).map(isInside) ?? false
    }

    /// Returns a path with symbolic links resolved. The part that exists may have links, and the last name may be one; the
    /// rest is treated as written.
    private static func resolved(_ path: String) -> String? {
        if let canonical = FileContents.canonicalPath(path) { return canonical }
        guard path.utf8.count < Int(PATH_MAX) else { return nil }
        // A link to a missing file leads where the file would be created.
        return FileContents.resolvedPath(FileContents.target(of: path))
    }

    /// The existing name in the folder of a path that is most similar to the missing one, for a message.
    package func nearestName(to path: String) -> String? {
        let folder = FileContents.folder(of: path)
        guard contains(folder), let names = try? FolderListing.names(in: folder, limit: 10_000) else { return nil }
        return NearestName.of(FileContents.name(of: path), among: names.sorted())
    }

    private func isInside(_ path: String) -> Bool {
        guard let folder else { return false }
        return path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: (folder == "/" ? "/" : folder + "/").utf8)
    }
}
