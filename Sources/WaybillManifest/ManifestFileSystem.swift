import Synchronization
package import WaybillJSON
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

/// The local file system, with contents that were read earlier.
package struct RememberedFiles: ManifestFileSystem {
    private let texts: [CodePoints: [UInt8]]
    private let isReplacing: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - texts: The bytes to return for files that do not exist, by path.
    ///   - isReplacing: Whether the bytes for a path are returned in any case, as for standard input.
    package init(
        _ texts: [CodePoints: [UInt8]],
        replacing isReplacing: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        (self.texts, self.isReplacing) = (texts, isReplacing)
    }

    package func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        guard let text = texts[CodePoints(path)] else {
            return try LocalFiles().read(path, limit: limit, acceptsPipes: acceptsPipes)
        }
        if isReplacing(path) { return text }
        do throws(FileError) {
            return try LocalFiles().read(path, limit: limit, acceptsPipes: acceptsPipes)
        } catch {
            if error.reason == .notFound { return text }
            throw error
        }
    }
}

/// A file system that remembers the paths that were read from another one.
package final class ListedFiles: ManifestFileSystem {
    private let base: any ManifestFileSystem
    private let read = Mutex<Set<CodePoints>>([])

    /// - Parameter base: The file system that is read from.
    package init(_ base: any ManifestFileSystem) {
        self.base = base
    }

    /// The paths of the files that were read or missing.
    package var paths: [String] { read.withLock { $0.map(\.text) } }

    package func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        read.withLock { _ = $0.insert(CodePoints(path)) }
        return try base.read(path, limit: limit, acceptsPipes: acceptsPipes)
    }
}

/// A file system that remembers what was read from another one, so that another machine can continue a run without the
/// files of its manifest.
package final class RecordingFiles: ManifestFileSystem {
    /// The maximum size of a file that is remembered.
    private static let maximumBytes = 16 << 20

    private let base: any ManifestFileSystem
    private let read = Mutex<[CodePoints: [UInt8]]>([:])

    /// - Parameter base: The file system that is read from.
    package init(_ base: any ManifestFileSystem) {
        self.base = base
    }

    /// The bytes of the files that were read, by path.
    package var texts: [CodePoints: [UInt8]] { read.withLock { $0 } }

    package func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        let bytes = try base.read(path, limit: limit, acceptsPipes: acceptsPipes)
        if bytes.count <= Self.maximumBytes { read.withLock { $0[CodePoints(path)] = bytes } }
        return bytes
    }
}
