package import WaybillDiagnostics

/// One YAML document. This format cannot be written.
package enum YAMLFormat: ReadableRecordFormat {
    package static let name = "yaml"
    package static let extensions = ["yaml", "yml"]
    package static let isList = false

    package static func read(_ file: DataFile, _ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var limits = YAMLReader.Limits()
        limits.maximumBytes = SourceFile.greatestSize
        // Without aliases, a document has fewer values than bytes: the limit is for values repeated by aliases.
        limits.maximumNodes = max(limits.maximumNodes, file.bytes.count)
        let (node, diagnostics) = YAMLReader(limits: limits).read(file.source)
        if let node, !diagnostics.hasErrors { _ = body(DataDocument(value: node.json, origin: .yaml(node))) }
        return diagnostics
    }
}
