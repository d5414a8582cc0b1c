#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Lists the names in a folder.
package enum FolderListing {
    /// Returns the names in no particular order, without `.` and `..`.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - limit: The maximum number of names to read.
    package static func names(in path: String, limit: Int) throws(FileError) -> [String] {
        guard let stream = opendir(path) else { throw FileError(path: path, errno: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
