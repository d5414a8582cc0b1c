import CTexts
package import WaybillDiagnostics
import WaybillExplanations
import WaybillJSON
import WaybillManifest
import WaybillPlatform
import WaybillRuntime
import WaybillTransport

/// A manifest to start with: small, commented, and ready to run with its own mock examples.
package struct FirstManifest: Sendable {
    /// The base URL of the service that the manifest is for; `nil` for the default one, or that of the document.
    package let url: String?
    /// The path of the OpenAPI document of the service, if it has one.
    package let document: String?
    /// Whether the schema is written next to the manifest, for editors.
    package let hasSchema: Bool

    /// The default base URL.
    package static let usualURL = "http://127.0.0.1:8080"
    /// The file name of the schema.
    package static let schemaName = "waybill.schema.json"

    /// Creates a manifest for a service; `nil` if its base URL is not an absolute http or https URL.
    package init?(url: String? = nil, hasSchema: Bool = false, openAPI document: String? = nil) {
        if let url {
            guard (try? Origin(ofURL: url)) != nil, !url.contains("?"), !url.contains("#") else { return nil }
        }
        self.url = url
        self.hasSchema = hasSchema
        self.document = document
    }

    /// Returns the path of the manifest for a path from the command line: the path itself if its extension is `.yaml`
    /// or `.yml`, otherwise `waybill.yaml` in that folder.
    package static func file(at path: String) -> String {
        if [".yaml", ".yml"].contains(where: path.lowercased().hasSuffix) { return path }
        return path.hasSuffix("/") ? path + "waybill.yaml" : "\(path)/waybill.yaml"
    }

    /// Writes the manifest, and the schema if requested, in a new folder if there is none. Existing files are never changed.
    ///
    /// - Returns: The errors. If there are any, no new file is left behind.
    package func write(to path: String) -> [Diagnostic] {
        var bound: BoundManifest?
        if let document {
            let manifest = BoundManifest(for: document, at: path, url: url, firstLine: firstLine)
            if manifest.diagnostics.hasErrors { return manifest.diagnostics }
            bound = manifest
        }
        // If this fails, so does writing the files, which reports the reason.
        _ = NewFile.makeFolder(FileContents.folder(of: path))
        let schema = FileContents.path(Self.schemaName, in: FileContents.folder(of: path))
        var isSchemaNew = false
        if hasSchema, (try? FileContents.read(schema, limit: 1 << 24)) != FlatSchema.text {
            if let diagnostic = Self.create(schema, FlatSchema.text) { return [diagnostic] }
            isSchemaNew = true
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let diagnostic = Self.create(path, Array((bound?.text ?? text(named: name)).utf8)) else { return [] }
        if isSchemaNew { unlink(schema) }
        return [diagnostic]
    }

    /// The first line, which is about the schema.
    private var firstLine: String {
        hasSchema
            ? "# yaml-language-server: $schema=\(Self.schemaName)"
            : "# For completion in an editor: 'waybill init --schema' writes the schema of manifests next to a new one."
    }

    /// Returns `first-manifest.yaml` for this service, in a file of that name.
    private func text(named name: String) -> String {
        let baseURL = JSONWriter().string(.string((url ?? Self.usualURL).replacing("${", with: "$${")))
        return String(text_first_manifest()).replacing("<SCHEMA>", with: firstLine)
            .replacing("<BASE_URL>", with: baseURL).replacing("<FILE>", with: name)
    }

    private static func create(_ path: String, _ bytes: [UInt8]) -> Diagnostic? {
        do {
            try NewFile.write(bytes, to: path)
            return nil
        } catch {
            if error.errno == EEXIST {
                return Diagnostic(
                    "existing-file",
                    "\(path) already exists",
                    at: nil,
                    help: ["Existing files are never overwritten. Choose another file, or remove this one."]
                )
            }
            return Diagnostic("unwritable-file", "could not write \(path): \(error)", at: nil)
        }
    }
}

extension String {
    /// The text of a file that is embedded in the program.
    init(_ file: embedded_file) {
        unsafe self.init(decoding: UnsafeBufferPointer(start: file.bytes, count: file.size), as: UTF8.self)
    }
}
