import WaybillContract
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest

/// Reads Arazzo descriptions, 1.0 and 1.1. OpenAPI documents among the sources tell where operations and parameters are.
enum ArazzoReader: ImportReader {
    static let description = "Arazzo descriptions"
    static let fileExtensions = [".yaml", ".yml", ".json"]

    static func recognizes(_ text: RecognizedText) -> Bool {
        text.json?["arazzo"] != nil
            || text.text.split(whereSeparator: \.isNewline).contains { line in
                ["arazzo:", "\"arazzo\":", "'arazzo':"].contains { line.hasPrefix($0) }
            }
    }

    static func read(_ sources: [SourceFile], _ options: ImportOptions) -> ImportResult {
        var diagnostics: [Diagnostic] = []
        var descriptions: [ArazzoDocument] = []
        var contracts: [(path: String, document: OpenAPIDocument)] = []
        var others: [(SourceFile, YAMLNode)] = []
        for source in sources {
            let (node, found) = YAMLReader().read(source)
            diagnostics += found.filter { $0.severity == .error }.map { diagnostic in
                var result = diagnostic
                result.id = "import-syntax"
                return result
            }
            guard let node, !found.hasErrors else { continue }
            if node["arazzo"] != nil {
                descriptions.append(ArazzoDocument(source, node))
            } else if let document = try? openAPI(source, node) {
                contracts.append((source.name, document))
            } else {
                others.append((source, node))
            }
        }
        for description in descriptions { diagnostics += missingParts(of: description) }
        if descriptions.isEmpty, !diagnostics.hasErrors {
            for (source, node) in others {
                let headline = "\(source.name) is not an Arazzo description: 'arazzo' is missing"
                diagnostics.report("import-syntax", headline, at: node.span)
            }
        }
        var collection = ImportedCollection()
        guard !diagnostics.hasErrors, !descriptions.isEmpty else { return (collection, diagnostics) }
        var writer = ArazzoWriter(descriptions, contracts)
        writer.losses = others.map { source, node in
            ImportLoss("the file '\(source.name)'", "it is neither an Arazzo nor an OpenAPI document", at: node.span)
        }
        collection.manifest = writer.manifest()
        return (collection, diagnostics)
    }

    private static func openAPI(_ source: SourceFile, _ node: YAMLNode) throws(ContractError) -> OpenAPIDocument {
        try OpenAPIDocument(ContractFile(node.json) { _ in node }, at: "file:///\(source.name)") { _ in nil }
    }

    /// Returns diagnostics about parts without which there is no workflow.
    private static func missingParts(of description: ArazzoDocument) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func report(_ headline: String, _ node: YAMLNode) {
            diagnostics.report("import-syntax", headline, at: node.span)
        }
        let root = description.root
        if let version = root["arazzo"], version.text?.hasPrefix("1.") != true {
            report("expected a version of Arazzo such as 1.0.1, found '\(version.text ?? "")'", version)
        }
        for (key, id, type) in [("sourceDescriptions", "name", "source"), ("workflows", "workflowId", "workflow")] {
            guard let list = root[key]?.sequence else {
                report("the list '\(key)' is missing", root[key] ?? root)
                continue
            }
            for item in list where item[id]?.text == nil { report("the \(type) has no '\(id)'", item) }
        }
        for workflow in root["workflows"].elements {
            guard let steps = workflow["steps"]?.sequence else {
                report("the list 'steps' is missing", workflow["steps"] ?? workflow)
                continue
            }
            for step in steps where step["stepId"]?.text == nil { report("the step has no 'stepId'", step) }
        }
        return diagnostics
    }
}
