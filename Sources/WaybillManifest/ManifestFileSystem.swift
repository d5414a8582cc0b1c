package import WaybillRuntime

/// The file system for the files of a manifest: the manifest, the files it includes, data files and schema files.
///
/// Files that are read during a run, such as those of bodies, are read from the local file system, within the boundary
/// of the manifest's folder.
package protocol ManifestFileSystem: Sendable {
    /// Returns the bytes of the file at a path, or of standard input if the path is `-`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - acceptsPipes: Whether the path may lead to a pipe or device, as for paths from the command line.
    func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8]
}

/// The local file system.
package struct LocalFiles: ManifestFileSystem {
    /// Creates a value for the local file system.
    package init() {}

    package func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        try FileContents.read(path, limit: limit, acceptsPipes: acceptsPipes)
    }
}

/// The local file system with some files replaced by contents that were read earlier, such as those of standard input.
package struct RememberedFiles: ManifestFileSystem {
    private let texts: [String: [UInt8]]

    /// - Parameter texts: The bytes to return instead of those of the files, by path.
    package init(_ texts: [String: [UInt8]]) {
        self.texts = texts
    }

    package func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        if let text = texts[path] { return text }
        return try LocalFiles().read(path, limit: limit, acceptsPipes: acceptsPipes)
    }
}
