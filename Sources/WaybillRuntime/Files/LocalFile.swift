import WaybillPlatform

/// A file that a request or a setting names: its path, and the folder that must contain it.
///
/// The path is checked each time the file is opened, because it may be computed and links may change.
package struct LocalFile: Sendable, Hashable, CustomStringConvertible {
    /// The path as it is opened.
    package let path: String
    /// The folder that must contain the file.
    package let boundary: FolderBoundary

    /// Creates a file, which may be anywhere unless a boundary is given.
    package init(_ path: String, within boundary: FolderBoundary = .anywhere) {
        self.path = path
        self.boundary = boundary
    }

    /// Whether two paths have the same bytes. Canonically equivalent ones may lead to different files.
    package static func == (left: LocalFile, right: LocalFile) -> Bool {
        left.path.utf8.elementsEqual(right.path.utf8) && left.boundary == right.boundary
    }

    package func hash(into hasher: inout Hasher) {
        for byte in path.utf8 { hasher.combine(byte) }
    }

    /// The path.
    package var description: String { path }

    /// Opens the file, which has to be a regular one, for reading.
    ///
    /// - Returns: A descriptor, which the caller closes, and the file's size in bytes.
    package func open() throws(FileError) -> (descriptor: Int32, size: Int) {
        let descriptor = try boundary.open(path)
        do throws(FileError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, errno: errno) }
            guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError(path: path, reason: .isFolder) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(path: path, reason: .notRegular) }
            return (descriptor, Int(status.st_size))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// The size of the file in bytes, as it is now.
    package func size() throws(FileError) -> Int {
        let (descriptor, size) = try open()
        close(descriptor)
        return size
    }

    /// Reads the first bytes of the file, at most this many.
    package func start(_ count: Int) throws(FileError) -> [UInt8] {
        let (descriptor, _) = try open()
        defer { close(descriptor) }
        do throws(SystemError) {
            return try OpenFile.read(count, from: descriptor)
        } catch {
            throw FileError(path: path, errno: error.errno)
        }
    }

    /// The bytes of the file.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes; a larger file is not read.
    ///   - isPrivate: Whether the file is refused if others than its owner may read or write it.
    package func read(limit: Int, isPrivate: Bool = false) throws(FileError) -> [UInt8] {
        let (descriptor, _) = try open()
        defer { close(descriptor) }
        var status = stat()
        if isPrivate, fstat(descriptor, &status) != 0 || status.st_mode & 0o077 != 0 {
            throw FileError(path: path, reason: .shared)
        }
        return try FileContents.read(descriptor, of: path, limit: limit)
    }
}
