import WaybillPlatform

/// Opens the files of a results folder.
enum RegularFile {
    /// Opens a file. A pipe or the like at its path is an error, because opening or reading it could wait forever; so is a
    /// device, unless it is written to.
    ///
    /// - Parameter action: What cannot be done if that fails, such as `read`.
    /// - Returns: A descriptor, which the caller closes.
    static func open(_ path: String, _ flags: Int32, to action: String) throws(ResultsError) -> Int32 {
        let descriptor = WaybillPlatform.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { throw ResultsError(cannot: action, path) }
        var status = stat()
        let kinds = [S_IFREG, S_IFDIR] + (flags & O_ACCMODE == O_RDONLY ? [] : [S_IFCHR])
        guard fstat(descriptor, &status) == 0, kinds.contains(status.st_mode & S_IFMT) else {
            close(descriptor)
            throw ResultsError(path: path, "cannot \(action) '\(path)': it is not a regular file")
        }
        return descriptor
    }
}
