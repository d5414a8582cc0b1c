import WaybillDiagnostics
import WaybillJSON
import WaybillRuntime
import WaybillSchema

/// The files that one file of a manifest names, relative to its own folder.
struct ManifestFiles: Sendable {
    /// The folder of the file that names them.
    let folder: String
    /// Where files may be.
    let boundary: FolderBoundary

    /// The path of a file as it is opened.
    func path(_ name: String) -> String {
        FileContents.path(name, in: folder)
    }

    /// What is wrong with a file because of where it is.
    func outside(_ path: String, at span: SourceSpan) -> Diagnostic {
        Diagnostic(
            "outside-folder",
            "\(path) lies outside the folder of the manifest",
            at: span,
            help: ["Use --allow-outside if that is meant."]
        )
    }

    /// The JSON Schema in a file, JSON or YAML.
    func schema(
        _ name: Spanned<String>,
        assertsFormats: Bool
    ) -> (schema: JSONSchema?, diagnostics: [Diagnostic]) {
        let path = path(name.value)
        let file: DataFile
        do {
            file = try DataFile.read(path)
        } catch {
            let finding = Diagnostic(
                "unreadable-file",
                "the schema \(path) cannot be read: \(error.message)",
                at: name.span
            )
            return (nil, [finding])
        }
        guard boundary.contains(path) else { return (nil, [outside(path, at: name.span)]) }
        var document: DataDocument?
        let diagnostics = file.forEachDocument {
            document = $0
            return false
        }
        guard !diagnostics.hasErrors, let document else { return (nil, diagnostics) }
        let (schema, findings) = SchemaFiles.compile(
            document.value,
            in: path,
            boundary: boundary,
            assertsFormats: assertsFormats
        ) { location in
            let places = document.places(of: [location])
            return places.span(at: location) ?? places.span
        }
        return (schema, diagnostics + findings)
    }
}
