import WaybillPlatform
import WaybillRuntime

/// An open file that is read from start to end, piece by piece.
struct InputFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// Opens a file; a symbolic link is not followed.
    init(_ path: String) throws(ResultsError) {
        descriptor = try RegularFile.open(path, O_RDONLY | O_NOFOLLOW, to: "read")
        self.path = path
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Reads the next piece, at most this many bytes; empty at the end of the file.
    func next(_ limit: Int) throws(ResultsError) -> [UInt8] {
        do throws(SystemError) {
            return try OpenFile.read(limit, from: descriptor)
        } catch {
            throw ResultsError(cannot: "read", path, code: error.errno)
        }
    }
}

/// Opens the files of a results folder.
enum RegularFile {
    /// Opens a file. A pipe or the like at its path is an error, because opening or reading it could wait forever; so is a
    /// device, unless it is written to.
    ///
    /// - Parameter action: What cannot be done if that fails, such as `read`.
    /// - Returns: A descriptor, which the caller closes.
    static func open(_ path: String, _ flags: Int32, to action: String) throws(ResultsError) -> Int32 {
        let descriptor = WaybillPlatform.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else {
            if errno == ELOOP, FolderContents.status(of: path)?.kind == .link {
                throw ResultsError("cannot \(action) '\(path)': it is a symbolic link")
            }
            throw ResultsError(cannot: action, path)
        }
        var status = stat()
        let kinds = [S_IFREG, S_IFDIR] + (flags & (O_WRONLY | O_RDWR) == 0 ? [] : [S_IFCHR])
        guard fstat(descriptor, &status) == 0, kinds.contains(status.st_mode & S_IFMT) else {
            close(descriptor)
            throw ResultsError("cannot \(action) '\(path)': it is not a regular file")
        }
        return descriptor
    }
}
