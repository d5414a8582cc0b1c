import WaybillPlatform

/// Why a file could not be read.
package struct FileError: Error, Sendable, Equatable {
    /// The reason why a file could not be read.
    package enum Reason: Sendable, Equatable {
        /// There is no such file.
        case notFound
        case isFolder
        /// Reading it is not permitted.
        case denied
        /// It is outside its boundary, after resolving links. The hint says what to do.
        case outside(hint: String?)
        /// It is a pipe, a device or the like.
        case notRegular
        /// It is a named pipe that no process has opened for writing.
        case noWriter
        /// Others than its owner may read or write it.
        case shared
        /// It is larger than the limit in bytes.
        case tooLarge(limit: Int)
        /// Anything else, by the system's error number.
        case other(errno: Int32)
    }

    /// The path as it was given.
    package let path: String
    /// The reason why a file could not be read.
    package let reason: Reason

    /// Creates an error with this reason.
    package init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// The reason in a few words, without the path, such as `there is no such file`.
    package var message: String {
        switch reason {
        case .notFound: "there is no such file"
        case .isFolder: "it is a folder"
        case .denied: "permission denied"
        case .outside(let hint): "it is outside the folder of the manifest\(hint.map { " (\($0))" } ?? "")"
        case .notRegular: "it is not a regular file"
        case .noWriter: "it is a pipe that no process writes to"
        case .shared: "others than its owner may read it; run 'chmod 600' on it"
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .other(let number): SystemError(number).description
        }
    }
}

/// Reads whole files.
package enum FileContents {
    /// Returns the bytes of a regular file, or of standard input if the path is `-`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes; a larger file is refused without reading all of it.
    ///   - acceptsPipes: Whether the path may also lead to a pipe, a device or the like, whose content might never
    ///     start or end: for paths that the user gave on the command line, as in `<(command)`.
    package static func read(_ path: String, limit: Int, acceptsPipes: Bool = false) throws(FileError) -> [UInt8] {
        // Swift strings may contain NUL, where C paths end.
        guard !path.utf8.contains(0) else { throw FileError(path: path, reason: .notFound) }
        guard path != "-", !acceptsPipes else {
            // Without O_NONBLOCK, opening a pipe waits for a writer.
            let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw FileError(path: path, errno: errno) }
            defer { close(descriptor) }
            guard path != "-" else { return try read(descriptor, of: path, limit: limit) }
            let hasWriter = waitForWriter(to: descriptor)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
            let bytes = try read(descriptor, of: path, limit: limit)
            if bytes.isEmpty, !hasWriter { throw FileError(path: path, reason: .noWriter) }
            return bytes
        }
        return try LocalFile(path).read(limit: limit)
    }

    /// How long the other process may take to open a named pipe, in milliseconds: both are often started together.
    private static let writerPatience: Int32 = 2000

    /// Waits until a pipe that is open for reading has content or its writers have closed it, but not for long. Returns
    /// whether that happened. After that, a read waits only if there is a writer.
    private static func waitForWriter(to descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return true }
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, writerPatience) != 0
    }

    /// The bytes of an open file, up to its end.
    static func read(_ descriptor: Int32, of path: String, limit: Int) throws(FileError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, errno: errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw FileError(path: path, reason: .isFolder) }
        // Devices other than terminals, such as /dev/zero, have no content or no end.
        let isDevice = status.st_mode & S_IFMT == S_IFCHR && isatty(descriptor) == 0
        if status.st_size > limit { throw FileError(path: path, reason: .tooLarge(limit: limit)) }

        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size) + 1)
        while true {
            let piece: [UInt8]
            do throws(SystemError) {
                piece = try OpenFile.read(256 * 1024, from: descriptor)
            } catch {
                throw FileError(path: path, errno: error.errno)
            }
            if piece.isEmpty { return bytes }
            if isDevice { throw FileError(path: path, reason: .notRegular) }
            if bytes.count + piece.count > limit { throw FileError(path: path, reason: .tooLarge(limit: limit)) }
            bytes += piece
        }
    }

    /// The path of a file with symbolic links, `.` and `..` resolved; nil if there is no such file.
    package static func canonicalPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The absolute path of a file with symbolic links, `.` and `..` resolved. Parts of the path need not exist: they are
    /// treated as the folders that will be created. A path that is too long for the system stays as it is.
    package static func resolvedPath(_ path: String) -> String {
        if let canonical = canonicalPath(path) { return canonical }
        let (folder, name) = (folder(of: path), name(of: path))
        guard folder != path, path.utf8.count < Int(PATH_MAX) else { return path }
        let resolved = resolvedPath(folder)
        if name.isEmpty || name == "." { return resolved }
        if name == ".." { return self.folder(of: resolved) }
        let whole = self.path(name, in: resolved)
        return canonicalPath(whole) ?? whole
    }

    /// The absolute path of a file that is written: with the links to its folder resolved, and that in its place only if it
    /// is followed and not replaced.
    package static func resolvedPath(_ path: String, followsLink: Bool) -> String {
        if followsLink { return resolvedPath(target(of: path)) }
        return self.path(name(of: path), in: resolvedPath(folder(of: path)))
    }

    /// Returns the path that a symbolic link leads to, or the path itself if it is not a link. Follows several links, and
    /// does not require that the file exists. A file that is replaced must be replaced at this path: at the other one,
    /// the link would be replaced.
    package static func target(of path: String) -> String {
        var target = path
        // Linux follows at most 40 links, too.
        for _ in 0..<40 {
            guard let next = linkedPath(at: target) else { return target }
            target = self.path(next, in: folder(of: target))
        }
        return path
    }

    /// The content of a symbolic link; nil if there is none at the path.
    private static func linkedPath(at path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = max(0, readlink(path, buffer.baseAddress!, buffer.count))
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// A path that is relative to a folder, as a path that can be opened; an absolute one stays as it is.
    ///
    /// The result is never `-`, which would be standard input.
    package static func path(_ path: String, in folder: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") || folder == "." && path != "-" { return path }
        return folder == "/" ? "/\(path)" : "\(folder)/\(path)"
    }

    /// The folder of a path, determined from the string only: `manifests/a.yaml` is in `manifests`, `a.yaml` in `.`.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last name of a path, determined from the string only: that of `manifests/a.yaml` is `a.yaml`.
    package static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// The names in a path, from the outermost folder on. Marks after a slash do not make it another character, as they do
    /// for `split` of a string.
    package static func names(in path: String) -> [Substring] {
        path.unicodeScalars.split(separator: "/").map { Substring($0) }
    }
}

extension FileError {
    /// Creates the error of a system call that failed with an `errno`.
    package init(path: String, errno number: Int32) {
        self.path = path
        switch number {
        case ENOENT, ENOTDIR: reason = .notFound
        case EACCES, EPERM: reason = .denied
        case EISDIR: reason = .isFolder
        default: reason = .other(errno: number)
        }
    }
}
