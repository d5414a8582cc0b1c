package import WaybillRuntime

/// The file system that the files of a manifest are read from: the manifest, the files it includes, data files and the
/// files of schemas.
///
/// Files that are read during a run, such as those of bodies, are read from the local file system, within the boundary of
/// the manifest's folder.
package protocol ManifestFileSystem: Sendable {
    /// Returns the bytes of the file at a path, or of standard input where the path is `-`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - acceptsPipes: Whether the path may lead to a pipe or device: for paths from the command line.
    func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8]
}

/// The files of this machine.
package struct LocalFiles: ManifestFileSystem {
    /// The files of this machine.
    package init() {}

    package func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        try FileContents.read(path, limit: limit, acceptsPipes: acceptsPipes)
    }
}

/// The files of this machine, some of them replaced by texts that were read earlier, such as that of standard input.
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
