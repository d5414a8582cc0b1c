import Synchronization
package import WaybillDiagnostics
package import WaybillJSON
package import WaybillRuntime
import WaybillSchema

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

    /// The OpenAPI documents that were read earlier; `nil` to read them each time.
    var contracts: KnownContracts? { get }
}

extension ManifestFileSystem {
    package var contracts: KnownContracts? { nil }
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

/// A file system that remembers what was read from another one.
package final class RecordingFiles: ManifestFileSystem {
    /// The maximum size of a file whose bytes are remembered.
    private static let maximumBytes = 16 << 20

    private let base: any ManifestFileSystem
    private let keepsTexts: Bool
    private let read = Mutex<[CodePoints: [UInt8]?]>([:])

    /// - Parameters:
    ///   - base: The file system that is read from.
    ///   - keepsTexts: Whether the bytes are remembered, so that another machine can continue a run without the files of
    ///     its manifest.
    package init(_ base: any ManifestFileSystem, keepsTexts: Bool = true) {
        self.base = base
        self.keepsTexts = keepsTexts
    }

    /// The paths of the files that were read or missing.
    package var paths: [String] { read.withLock { $0.keys.map(\.text) } }

    /// The bytes of the files that were read, by path.
    package var texts: [CodePoints: [UInt8]] { read.withLock { $0.compactMapValues { $0 } } }

    package var contracts: KnownContracts? { base.contracts }

    package func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        read.withLock { $0[CodePoints(path), default: nil] = $0[CodePoints(path)] ?? nil }
        let bytes = try base.read(path, limit: limit, acceptsPipes: acceptsPipes)
        if keepsTexts, bytes.count <= Self.maximumBytes { read.withLock { $0[CodePoints(path)] = bytes } }
        return bytes
    }
}

/// Finds and reads the files that one file of a manifest names, relative to its own folder.
struct ManifestFiles: Sendable {
    /// The folder of the file that names the files.
    let folder: String
    /// The boundary within which files may be.
    let boundary: FolderBoundary
    /// The file system to read from.
    var system: any ManifestFileSystem = LocalFiles()

    /// Returns the path that a name refers to.
    func path(_ name: String) -> String {
        FileContents.path(name, in: folder)
    }

    /// Reads a data file at a path that was returned by `path(_:)`.
    ///
    /// - Parameters:
    ///   - kind: The kind of file for messages, such as `schema`.
    ///   - format: The format, which overrides that of the extension.
    ///   - limit: The maximum number of bytes.
    func read(
        _ path: String,
        as kind: String,
        format: (any ReadableRecordFormat.Type)? = nil,
        limit: Int = SourceFile.greatestSize
    ) throws(FileRefusal) -> DataFile {
        let file: DataFile
        do {
            file = try DataFile.read(path, format: format, limit: limit, from: system)
        } catch {
            // A file that does not exist is not reported as outside the folder.
            guard error.reason == .notFound || boundary.contains(path) else { throw .outside(path) }
            throw FileRefusal(
                id: "unreadable-file",
                message: "the \(kind) \(path) cannot be read: \(error.message)",
                nearest: error.reason == .notFound ? boundary.nearestName(to: path) : nil
            )
        }
        guard boundary.encloses(path) else { throw .outside(path) }
        return file
    }

    /// Reads a JSON Schema from a JSON or YAML file.
    func schema(_ name: Spanned<String>) -> (schema: JSONSchema?, diagnostics: [Diagnostic]) {
        let path = path(name.value)
        let (document, diagnostics): (DataDocument?, [Diagnostic])
        do {
            (document, diagnostics) = try read(path, as: "schema").firstDocument
        } catch {
            return (nil, [error.diagnostic(at: name.span)])
        }
        guard let document else { return (nil, diagnostics) }
        let (schema, found) = SchemaFiles.compile(document.value, in: path, isFile: true, files: self) { location in
            let locations = document.locations(of: [location])
            return locations.span(at: location) ?? locations.span
        }
        return (schema, diagnostics + found)
    }
}

/// Why a file that a manifest names cannot be used.
package struct FileRefusal: Error {
    let id: DiagnosticID
    let message: String
    var help: [String] = []
    var programHelp: [String]?
    /// The name of an existing file that was probably intended.
    var nearest: String?

    /// The file is outside the folder of the manifest.
    package static func outside(_ path: String) -> FileRefusal {
        FileRefusal(
            id: "outside-folder",
            message: "\(path) is outside the folder of the manifest",
            help: ["Use --allow-outside if this is intended."],
            programHelp: ["Pass 'allowsOutside: true' if this is intended."]
        )
    }

    /// Returns the diagnostic at the location that names the file.
    package func diagnostic(at span: SourceSpan) -> Diagnostic {
        Diagnostic(
            id,
            message,
            at: span,
            label: nearest.map { "did you mean '\($0)'?" } ?? "",
            help: help,
            programHelp: programHelp
        )
    }
}
