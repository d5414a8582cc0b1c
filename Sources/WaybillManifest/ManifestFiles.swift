import WaybillDiagnostics
import WaybillJSON
import WaybillRuntime
import WaybillSchema

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
    func schema(
        _ name: Spanned<String>,
        assertsFormats: Bool
    ) -> (schema: JSONSchema?, diagnostics: [Diagnostic]) {
        let path = path(name.value)
        let file: DataFile
        do {
            file = try read(path, as: "schema")
        } catch {
            return (nil, [error.diagnostic(at: name.span)])
        }
        var document: DataDocument?
        let diagnostics = file.forEachDocument {
            document = $0
            return false
        }
        guard !diagnostics.hasErrors, let document else { return (nil, diagnostics) }
        let (schema, found) = SchemaFiles.compile(
            document.value,
            in: path,
            files: self,
            assertsFormats: assertsFormats
        ) { location in
            let places = document.places(of: [location])
            return places.span(at: location) ?? places.span
        }
        return (schema, diagnostics + found)
    }
}

/// Why a file that a manifest names cannot be used.
struct FileRefusal: Error {
    let id: DiagnosticID
    let message: String
    var help: [String] = []
    /// The name of an existing file that was probably intended.
    var nearest: String?

    /// The file is outside the folder of the manifest.
    static func outside(_ path: String) -> FileRefusal {
        FileRefusal(
            id: "outside-folder",
            message: "\(path) is outside the folder of the manifest",
            help: ["Use --allow-outside if this is intended."]
        )
    }

    /// Returns the diagnostic at the location that names the file.
    func diagnostic(at span: SourceSpan) -> Diagnostic {
        Diagnostic(id, message, at: span, label: nearest.map { "did you mean '\($0)'?" } ?? "", help: help)
    }
}
