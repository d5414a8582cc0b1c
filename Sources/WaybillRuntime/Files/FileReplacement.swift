import WaybillPlatform

/// Puts a complete file at a path, in place of an earlier one.
///
/// Only files are replaced. A device, a pipe or a socket has other users, for which a file in its place would break it.
package enum FileReplacement {
    /// Returns why no file may be put at a path: there is a folder, or a device, a pipe or the like, or a file has the path of
    /// its folder. It is `nil` if there is nothing or a file. A symbolic link counts as a file, which is replaced.
    ///
    /// - Parameter followsLinks: Whether what a symbolic link leads to is inspected and not the link itself.
    package static func obstacle(at path: String, followsLinks: Bool = false) -> FileError? {
        guard let status = try? FileStatus(of: path, followsLinks: followsLinks) else {
            var status = stat()
            let isInFile = lstat(path, &status) != 0 && errno == ENOTDIR
            return isInFile ? FileError(path: path, reason: .other(errno: ENOTDIR)) : nil
        }
        switch status.kind {
        case .file, .link: return nil
        case .folder: return FileError(path: path, reason: .isFolder)
        case .other: return FileError(path: path, reason: .notRegular)
        }
    }

    /// Gives an open file the permissions of another one, if that exists. The file is either the one that it is to
    /// replace, or one that belongs to it.
    package static func adoptPermissions(of path: String, _ descriptor: Int32) {
        var (model, own) = (stat(), stat())
        guard lstat(path, &model) == 0, model.st_mode & S_IFMT == S_IFREG, fstat(descriptor, &own) == 0 else { return }
        let mask: mode_t = 0o777
        // Not all file systems have permissions.
        if model.st_mode & mask != own.st_mode & mask { _ = fchmod(descriptor, model.st_mode & mask) }
    }

    /// Moves a complete file to a path. Throws the system's error, and `EEXIST` if there is an `obstacle`.
    package static func move(_ source: String, to path: String) throws(SystemError) {
        guard obstacle(at: path) == nil else { throw SystemError(EEXIST) }
        guard rename(source, path) == 0 else { throw .last }
    }
}
