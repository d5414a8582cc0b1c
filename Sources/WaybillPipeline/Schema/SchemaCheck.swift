package import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillSchema

/// A JSON Schema from a file, with the files next to it that it refers to. Checks data files against it.
package struct SchemaCheck: Sendable {
    private let schema: JSONSchema

    /// Reads and compiles the schema at a path.
    ///
    /// - Parameters:
    ///   - path: A JSON or YAML file. References to other schemas are resolved in its folder.
    ///   - assertsFormats: Whether `format` is checked too.
    package static func load(_ path: String, assertsFormats: Bool = true) -> Pipeline.Stage<SchemaCheck> {
        var loading = SchemaLoading()
        let schema = loading.load(path, assertsFormats: assertsFormats)
        return .init(value: schema.map(SchemaCheck.init), diagnostics: loading.diagnostics)
    }

    /// Returns all diagnostics about the documents of a file. After 1000 diagnostics, the rest is not checked.
    package func check(_ path: String) -> [Diagnostic] {
        let file: DataFile
        do {
            file = try DataFile.read(path, acceptsPipes: true)
        } catch {
            return [error.diagnostic(of: "file")]
        }
        var diagnostics: [Diagnostic] = []
        let limit = DataFile.maximumDiagnostics
        let unreadable = file.forEachDocument { document in
            let violations = schema.validate(document.value, limit: limit + 1 - diagnostics.count)
            if violations.isEmpty { return true }
            let locations = document.locations(of: violations.flatMap(\.pointers))
            diagnostics += violations.map { $0.diagnostic(in: locations, of: "the document") }
            return diagnostics.count <= limit
        }
        diagnostics += unreadable
        guard diagnostics.count > limit else { return diagnostics.sortedByLocation() }
        let end = Diagnostic("too-many-findings", "too many errors: the rest of \(file.name) was not checked", at: nil)
        return diagnostics.sortedByLocation().prefix(limit) + [end]
    }
}

/// Loads a schema and everything that it refers to.
private struct SchemaLoading {
    var diagnostics: [Diagnostic] = []
    private var documents: [String: DataDocument] = [:]

    mutating func load(_ path: String, assertsFormats: Bool) -> JSONSchema? {
        guard let root = read(path, as: "schema", acceptsPipes: true) else { return nil }
        let (folder, address) = SchemaFolder.of(root.value, at: path)
        documents[address] = root
        var registry = JSONSchemaRegistry()
        var open = SchemaReferences.external(in: root.value, base: address)
        // The identifiers in the files of the folder are read only if an address is not that of a file.
        lazy var identified = folder.filesByIdentifier(excluding: path)
        while let address = open.popLast() {
            guard documents[address] == nil,
                let file = folder.file(at: address).map({ (path: $0, address: address) }) ?? identified[address]
            else { continue }
            guard let document = read(file.path, as: "schema") else { return nil }
            documents[address] = document
            documents[file.address] = document
            registry.register(document.value, at: file.address)
            open += SchemaReferences.external(in: document.value, base: file.address)
        }
        do {
            let schema = try JSONSchema(
                compiling: root.value,
                baseURI: address,
                registry: registry,
                assertsFormats: assertsFormats
            )
            for keyword in schema.ineffectiveKeywords {
                report(keyword, in: documents[keyword.document] ?? root, severity: .warning)
            }
            return schema
        } catch {
            report(error, in: documents[error.document] ?? root)
            return nil
        }
    }

    private mutating func read(_ path: String, as kind: String, acceptsPipes: Bool = false) -> DataDocument? {
        var document: DataDocument?
        do {
            diagnostics += try DataFile.read(path, acceptsPipes: acceptsPipes).forEachDocument {
                document = $0
                return false
            }
        } catch {
            diagnostics.append(error.diagnostic(of: kind))
        }
        return diagnostics.hasErrors ? nil : document
    }

    private mutating func report(
        _ error: JSONSchemaError,
        in document: DataDocument,
        severity: Diagnostic.Severity = .error
    ) {
        let locations = document.locations(of: [error.location])
        let name = error.location.tokens.last.map { "'\($0.text)'" } ?? "the schema"
        let isReference = [.name("$ref"), .name("$dynamicRef"), .name("$schema")].contains(error.location.tokens.last)
        let reference = isReference ? error.location.resolve(in: document.value) : nil
        let isExternal = reference?.string.map { !$0.hasPrefix("#") } ?? false
        diagnostics.append(
            Diagnostic(
                "invalid-schema",
                "\(name) \(error.message)",
                severity: severity,
                at: locations.span(at: error.location) ?? locations.span,
                help: isExternal
                    ? [
                        "Other schemas must be in the folder of this one, with that file name or '$id'; nothing is fetched."
                    ] : []
            )
        )
    }
}
