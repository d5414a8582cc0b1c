package import WaybillDiagnostics
import WaybillFormats
package import WaybillJSON
import WaybillRuntime

/// Reads the data that a manifest declares under `data`.
///
/// Paths and patterns are relative to the folder of the file that declares them. With symbolic links resolved, they
/// must stay inside the folder of the manifest unless outside files are allowed.
package struct DataReader: Sendable {
    /// The maximum size of a file in bytes.
    package var maximumBytes = 256 << 20

    private let boundary: FolderBoundary
    private let system: any ManifestFileSystem

    /// Creates a reader for a manifest.
    ///
    /// - Parameters:
    ///   - folder: The folder of the root manifest, even if an included file declares the data.
    ///   - allowsOutside: Whether files may be outside that folder.
    ///   - system: The file system to read from.
    package init(folder: String, allowsOutside: Bool, from system: any ManifestFileSystem = LocalFiles()) {
        self.system = system
        boundary = FolderBoundary(folder: folder, allowsOutside: allowsOutside)
    }

    /// Returns the data of a declaration and the diagnostics.
    ///
    /// A file yields its value; CSV and NDJSON yield the list of their rows or lines. A pattern yields a list with an
    /// object for each file, ordered by the bytes of the paths: `path`, relative to the same folder as the pattern,
    /// `name`, and `size` in bytes.
    ///
    /// - Returns: The value is `nil` exactly if the diagnostics contain an error.
    package func read(_ declaration: DataDeclaration) -> (value: JSON?, diagnostics: [Diagnostic]) {
        switch declaration {
        case .file(let path, let format): readFile(path, format)
        case .glob(let pattern): readGlob(pattern)
        }
    }

    private func readFile(
        _ path: Spanned<String>,
        _ format: (any ReadableRecordFormat.Type)?
    ) -> (JSON?, [Diagnostic]) {
        let folder = FileContents.folder(of: path.span.file.name)
        let files = ManifestFiles(folder: folder, boundary: boundary, system: system)
        do {
            let file = try files.read(files.path(path.value), as: "data file", format: format, limit: maximumBytes)
            var (value, diagnostics) = file.value()
            for index in diagnostics.indices { diagnostics[index].secondary.append(.init(path.span, "named here")) }
            return (value, diagnostics)
        } catch {
            return (nil, [error.diagnostic(at: path.span)])
        }
    }

    private func readGlob(_ pattern: Spanned<String>) -> (JSON?, [Diagnostic]) {
        let folder = FileContents.folder(of: pattern.span.file.name)
        var search = GlobSearch(in: folder, boundary: boundary)
        do {
            let files = try search.files(matching: try PathGlob(parsing: pattern.value))
            guard files.isEmpty else { return (.array(files.map(Self.object)), []) }
            let diagnostic = Diagnostic("empty-glob", "no file matches", severity: .warning, at: pattern.span)
            return (.array([]), [diagnostic])
        } catch {
            var diagnostic = error
            diagnostic.primary = .init(pattern.span)
            return (nil, [diagnostic])
        }
    }

    private static func object(_ file: (path: String, size: Int)) -> JSON {
        [
            "path": .string(file.path),
            "name": .string(FileContents.name(of: file.path)),
            "size": .number(JSONNumber(file.size)),
        ]
    }
}
