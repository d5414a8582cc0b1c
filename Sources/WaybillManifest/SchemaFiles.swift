import WaybillDiagnostics
package import WaybillFormats
import WaybillJSON
import WaybillRuntime
import WaybillSchema

/// Compiles the JSON Schemas of a manifest with the files that they reference by `$ref`. Nothing is fetched from the
/// network.
struct SchemaFiles {
    private let files: ManifestFiles
    private var registry = JSONSchemaRegistry()
    private var documents: [String: DataDocument] = [:]
    /// Why a file cannot be used, by the address that refers to it.
    private var refusals: [String: FileRefusal] = [:]
    /// The diagnostics of the files.
    private var diagnostics: [Diagnostic] = []

    private init(_ files: ManifestFiles) {
        self.files = files
    }

    /// Compiles a schema, whose formats are checked too, and returns the diagnostics.
    ///
    /// - Parameters:
    ///   - schema: The schema document.
    ///   - path: The file that contains the schema. References are relative to it.
    ///   - isFile: Whether the schema is the whole file. Keywords without an effect are reported in files; those of a
    ///     schema in a manifest are reported by the schema of manifests.
    ///   - files: Reads the referenced files.
    ///   - span: Returns the span of a location in the document.
    static func compile(
        _ schema: JSON,
        in path: String,
        isFile: Bool = false,
        files: ManifestFiles,
        span: (JSONPointer) -> SourceSpan
    ) -> (schema: JSONSchema?, diagnostics: [Diagnostic]) {
        var reading = SchemaFiles(files)
        let address = URIReference.address(ofFile: path)
        reading.readReferences(of: schema, at: SchemaReferences.address(of: schema, base: address), from: address)
        guard !reading.diagnostics.hasErrors else { return (nil, reading.diagnostics) }
        do {
            let compiled = try JSONSchema(
                compiling: schema,
                baseURI: address,
                registry: reading.registry,
                assertsFormats: true
            )
            for keyword in compiled.ineffectiveKeywords where isFile || reading.documents[keyword.document] != nil {
                reading.diagnostics.report(
                    "invalid-schema",
                    "'\(keyword.location.tokens.last?.text ?? "")' \(keyword.message)",
                    severity: .warning,
                    at: reading.span(of: keyword, span)
                )
            }
            return (compiled, reading.diagnostics)
        } catch {
            return (nil, reading.diagnostics + [reading.diagnostic(for: error, in: schema, span: span)])
        }
    }

    /// Reads the files that a document references, directly or indirectly.
    private mutating func readReferences(of schema: JSON, at base: String, from root: String) {
        var open = SchemaReferences.external(in: schema, base: root)
        var seen: Set<String> = [root, base]
        while let address = open.popLast() {
            guard seen.insert(address).inserted, let path = URIReference.file(atAddress: address),
                let document = read(path, at: address)
            else { continue }
            documents[address] = document
            registry.register(document.value, at: address)
            open += SchemaReferences.external(in: document.value, base: address)
        }
    }

    private mutating func read(_ path: String, at address: String) -> DataDocument? {
        do {
            let (document, found) = try files.read(path, as: "schema").firstDocument
            diagnostics += found
            return document
        } catch {
            refusals[address] = error
            return nil
        }
    }

    private func diagnostic(
        for error: JSONSchemaError,
        in schema: JSON,
        span: (JSONPointer) -> SourceSpan
    ) -> Diagnostic {
        let document = documents[error.document]
        let errorSpan = self.span(of: error, span)
        if error.location.tokens.last == .name("$ref"),
            let text = error.location.resolve(in: document?.value ?? schema)?.string
        {
            let target = URIReference(text).resolved(against: URIReference(error.document)).withoutFragment.description
            if let refusal = refusals[target] { return refusal.diagnostic(at: errorSpan) }
        }
        let name = document == nil ? "this is not a valid JSON Schema" : "the referenced schema is not valid"
        return Diagnostic("invalid-schema", "\(name): \(error.message)", at: errorSpan)
    }

    /// Returns the span of an error in a referenced file, or in the schema itself.
    private func span(of error: JSONSchemaError, _ span: (JSONPointer) -> SourceSpan) -> SourceSpan {
        guard let locations = documents[error.document]?.locations(of: [error.location]) else {
            return span(error.location)
        }
        return locations.span(at: error.location) ?? locations.span
    }
}

extension URIReference {
    /// Returns the path of the file at an address; `nil` for any other address.
    static func file(atAddress address: String) -> String? {
        guard address.hasPrefix("file:///") else { return nil }
        return PercentEncoding.decoded(String(address.dropFirst("file://".count)))
    }

    /// Returns the address of the file at a path (RFC 8089), with the symbolic links of its folder resolved.
    package static func address(ofFile path: String) -> String {
        let folder = FileContents.canonicalPath(FileContents.folder(of: path)) ?? "/"
        return "file://" + PercentEncoding.path((folder == "/" ? "" : folder) + "/" + FileContents.name(of: path))
    }
}
