import WaybillDiagnostics
import WaybillJSON
import WaybillRuntime
import WaybillSchema

/// The files that one file of a manifest names, relative to its own folder: the one place that finds and reads them.
struct ManifestFiles: Sendable {
    /// The folder of the file that names them.
    let folder: String
    /// Where files may be.
    let boundary: FolderBoundary
    /// What they are read from.
    var system: any ManifestFileSystem = LocalFiles()

    /// The path of a file as it is opened.
    func path(_ name: String) -> String {
        FileContents.path(name, in: folder)
    }

    /// Reads a file of values at a path as it is opened.
    ///
    /// - Parameters:
    ///   - kind: What it is, for messages: `schema`.
    ///   - format: Its format, whatever its name is.
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
            // A file that does not exist is not outside of anything.
            guard error.reason == .notFound || boundary.contains(path) else { throw .outside(path) }
            throw FileRefusal(
                id: "unreadable-file",
                message: "the \(kind) \(path) cannot be read: \(error.message)",
                nearest: error.reason == .notFound ? boundary.nearestName(to: path) : nil
            )
        }
        guard boundary.contains(path) else { throw .outside(path) }
        return file
    }

    /// The JSON Schema in a file, JSON or YAML.
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
        let (schema, findings) = SchemaFiles.compile(
            document.value,
            in: path,
            files: self,
            assertsFormats: assertsFormats
        ) { location in
            let places = document.places(of: [location])
            return places.span(at: location) ?? places.span
        }
        return (schema, diagnostics + findings)
    }
}

/// Why a file that a manifest names cannot be used.
struct FileRefusal: Error {
    let id: DiagnosticID
    let message: String
    var help: [String] = []
    /// The name of a file that was probably meant.
    var nearest: String?

    /// A file is not where files may be.
    static func outside(_ path: String) -> FileRefusal {
        FileRefusal(
            id: "outside-folder",
            message: "\(path) lies outside the folder of the manifest",
            help: ["Use --allow-outside if that is meant."]
        )
    }

    /// The diagnostic where the file is named.
    func diagnostic(at span: SourceSpan) -> Diagnostic {
        Diagnostic(id, message, at: span, label: nearest.map { "did you mean '\($0)'?" } ?? "", help: help)
    }
}
