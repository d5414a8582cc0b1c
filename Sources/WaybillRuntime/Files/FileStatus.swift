import WaybillPlatform

/// The kind, size and modification time of the file at a path.
package struct FileStatus: Sendable, Equatable {
    /// The kinds of files.
    package enum Kind: Sendable, Equatable {
        /// A file with contents.
        case file
        case folder
        /// A symbolic link; only when links are not followed.
        case link
        /// A pipe, a device or the like.
        case other
    }

    /// The kind of the file.
    package let kind: Kind
    /// The size of its contents, in bytes.
    package let size: Int
    /// The number of its hard links.
    package let linkCount: Int
    /// When its contents were last changed, since 1970. A file system may have times that are not in 64 bits of
    /// nanoseconds.
    package let modifiedAt: Duration

    /// Inspects a path without opening the file.
    ///
    /// - Parameter followsLinks: Whether to inspect the target of a symbolic link and not the link itself.
    package init(of path: String, followsLinks: Bool = true) throws(FileError) {
        var status = stat()
        let result = followsLinks ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { throw FileError(path: path, errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        size = Int(status.st_size)
        linkCount = Int(status.st_nlink)
        let modified = waybill_modification_time(&status)
        modifiedAt = .seconds(modified.tv_sec) + .nanoseconds(modified.tv_nsec)
    }
}
