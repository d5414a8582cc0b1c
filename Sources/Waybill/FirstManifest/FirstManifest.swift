package import WaybillDiagnostics
import WaybillManifest
import WaybillRuntime
import WaybillTransport

/// A manifest to begin with: small, commented, and able to run on its own examples.
package struct FirstManifest: Sendable {
    /// The address of the service that the manifest is for.
    package let url: String
    /// Whether the schema is to stand beside the manifest, for editors.
    package let hasSchema: Bool

    /// The address where nothing else is said.
    package static let usualURL = "http://127.0.0.1:8080"
    /// The name of the schema's file.
    package static let schemaName = "waybill.schema.json"

    /// A manifest for a service, or `nil` where its address is not an absolute http or https URL.
    package init?(url: String = FirstManifest.usualURL, hasSchema: Bool = false) {
        guard (try? Origin(ofURL: url)) != nil, !url.contains("?"), !url.contains("#") else { return nil }
        self.url = url
        self.hasSchema = hasSchema
    }

    /// The path of the file that a person means by a path: a name that ends in `.yaml` or `.yml` is the file's own,
    /// anything else is a folder's.
    package static func file(at path: String) -> String {
        if [".yaml", ".yml"].contains(where: path.lowercased().hasSuffix) { return path }
        return path.hasSuffix("/") ? path + "waybill.yaml" : "\(path)/waybill.yaml"
    }

    /// Writes the manifest, and the schema if it is wanted; nothing that is there already is touched.
    ///
    /// - Returns: What stood in the way; nothing of this is there then.
    package func write(to path: String) -> [Diagnostic] {
        let schema = FileContents.path(Self.schemaName, in: FileContents.folder(of: path))
        var isSchemaNew = false
        if hasSchema, (try? FileContents.read(schema, limit: 1 << 24)) != EmbeddedSchema.manifest.text {
            if let finding = Self.create(schema, EmbeddedSchema.manifest.text) { return [finding] }
            isSchemaNew = true
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let finding = Self.create(path, Array(text(named: name).utf8)) else { return [] }
        if isSchemaNew { NewFile.remove(schema) }
        return [finding]
    }

    private static func create(_ path: String, _ bytes: [UInt8]) -> Diagnostic? {
        do {
            try NewFile.write(bytes, to: path)
            return nil
        } catch {
            if error.isThere {
                return Diagnostic(
                    "existing-file",
                    "\(path) is there already",
                    at: nil,
                    help: ["Nothing is ever overwritten. Name another file, or take this one away."]
                )
            }
            let folder = FileContents.folder(of: path)
            return Diagnostic(
                "unwritable-file",
                "\(path) cannot be written: \(error.lacksFolder ? "there is no folder \(folder)" : error.message)",
                at: nil,
                help: error.lacksFolder ? ["Make the folder first."] : []
            )
        }
    }
}
