import WaybillPlatform

/// What all paths of one file have in common: its device and inode if it exists, otherwise the resolved path.
package struct FileIdentity: Hashable, Sendable {
    private var device: UInt64 = 0
    private var inode: UInt64 = 0
    private var path: [UInt8] = []

    /// The identity of the file or folder at a path; of a symbolic link, of what it leads to. It is `nil` for a pipe, a
    /// device or the like, which several programs may write to at once.
    package init?(_ path: String) {
        var status = stat()
        if stat(path, &status) != 0 {
            // A path such as 'new/../file' leads to the file once its folders are created.
            let resolved = FileContents.resolvedPath(FileContents.target(of: path))
            guard stat(resolved, &status) == 0 else {
                self.path = Array(resolved.utf8)
                return
            }
        }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
