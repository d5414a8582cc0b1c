import WaybillPlatform

/// Lists the names in a folder.
package enum FolderListing {
    /// Returns the names in no particular order, without `.` and `..`.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - limit: The maximum number of names to read.
    package static func names(in path: String, limit: Int) throws(FileError) -> [String] {
        var names: [String] = []
        try forEachName(in: path) { name, _ in
            if names.count < limit { names.append(String(cString: name)) }
            return names.count < limit
        }
        return names
    }

    /// Returns the names that are not UTF-8, which no path in a manifest or on the command line of Waybill can contain:
    /// with U+FFFD for what is not UTF-8, and whether they are those of folders.
    package static func namesBeyondUTF8(in path: String) throws(FileError) -> [(name: String, isFolder: Bool)] {
        var names: [(name: String, isFolder: Bool)] = []
        try forEachName(in: path) { name, folder in
            guard String(validatingCString: name) == nil else { return true }
            var status = stat()
            let isFolder =
                fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
            names.append((String(cString: name), isFolder))
            return true
        }
        return names
    }

    /// Calls a closure with each name in a folder, without `.` and `..`, and the descriptor of the folder, until it
    /// returns `false`.
    private static func forEachName(
        in path: String,
        _ body: (_ name: UnsafePointer<CChar>, _ folder: Int32) -> Bool
    ) throws(FileError) {
        guard let stream = opendir(path) else { throw FileError(path: path, errno: errno) }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let goesOn = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || body(name, dirfd(stream))
                }
            }
            guard goesOn else { return }
        }
    }
}
