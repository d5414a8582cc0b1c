import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillRuntime

/// The outline of a document: its sections, the definitions in them, and the steps of graphs.
enum DocumentSymbols: EditorFeature {
    static let method = "textDocument/documentSymbol"
    static let capability: (name: String, value: JSON) = ("documentSymbolProvider", true)

    /// The keys whose values are lists of steps.
    private static let groups = ["chain", "batch", "finally"]
    /// The keys that determine what a step does.
    private static let forms = StepForm.allCases.map(\.rawValue)
    /// The kinds of LSP.
    private static let (module, method_, property, function, event, namespace) = (2, 6, 7, 12, 24, 3)

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let root = request.tree else { return [] }
        var writer = PositionWriter(root.file, request.workspace.encoding)
        return .array(root.entries.compactMap { section(named: $0, &writer) })
    }

    private static func section(named entry: YAMLMapping.Entry, _ writer: inout PositionWriter) -> JSON? {
        guard let name = entry.key.text else { return nil }
        var children: [JSON] = []
        for definition in ManifestSection(rawValue: name) == nil ? [] : entry.value.entries {
            guard let text = definition.key.text else { continue }
            let steps = name == "graphs" ? self.steps(in: definition.value, &writer) : []
            let kind = ["endpoints": method_, "graphs": function, "services": module][name] ?? property
            children.append(symbol(text, kind, definition.key, definition.value, steps, &writer))
        }
        return symbol(name, namespace, entry.key, entry.value, children, &writer)
    }

    private static func steps(in node: YAMLNode, _ writer: inout PositionWriter) -> [JSON] {
        var symbols: [JSON] = []
        for key in groups {
            for step in node[key]?.sequence ?? [] {
                let form = step.entries.first { forms.contains($0.key.text ?? "") }
                let selected = step.mapping?.entry(named: "id") ?? form
                guard let selected else { continue }
                let words = [form?.key.text, form?.value.text].compactMap { $0 }.joined(separator: " ")
                let name = step["id"]?.text ?? words
                symbols.append(symbol(name, event, selected.key, step, steps(in: step, &writer), &writer))
            }
        }
        return symbols
    }

    private static func symbol(
        _ name: String,
        _ kind: Int,
        _ key: YAMLNode,
        _ value: YAMLNode,
        _ children: [JSON],
        _ writer: inout PositionWriter
    ) -> JSON {
        let start = min(key.span.range.lowerBound, value.span.range.lowerBound)
        let end = max(key.span.range.upperBound, value.span.range.upperBound)
        return [
            // A client refuses an empty name.
            "name": .string(name.isEmpty ? "(no name)" : name), "kind": .number(JSONNumber(kind)),
            "range": writer.range(start..<end), "selectionRange": writer.range(key.span.range),
            "children": .array(children),
        ]
    }
}

/// The mappings and lists of a document that occupy several lines.
enum FoldingRanges: EditorFeature {
    static let method = "textDocument/foldingRange"
    static let capability: (name: String, value: JSON) = ("foldingRangeProvider", true)

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let root = request.tree else { return [] }
        var ranges: [Int: Int] = [:]
        add(root, to: &ranges)
        return .array(
            ranges.sorted { $0.key < $1.key }.map { start, end in
                ["startLine": .number(JSONNumber(start)), "endLine": .number(JSONNumber(end))]
            }
        )
    }

    /// It recurses as deep as the reader of YAML allows values to be nested.
    private static func add(_ node: YAMLNode, to ranges: inout [Int: Int]) {
        func fold(from start: Int, _ value: YAMLNode) {
            let first = node.file.line(at: start) - 1
            let last = node.file.line(at: value.span.range.upperBound) - 1
            if last > first { ranges[first] = max(ranges[first] ?? 0, last) }
        }
        for (key, value) in node.entries {
            // An alias or a merged entry is elsewhere.
            guard key.span.range.upperBound <= value.span.range.lowerBound else { continue }
            fold(from: key.span.range.lowerBound, value)
            add(value, to: &ranges)
        }
        for element in node.sequence ?? [] where element.span.range.lowerBound >= node.span.range.lowerBound {
            fold(from: element.span.range.lowerBound, element)
            add(element, to: &ranges)
        }
    }
}

/// The files that a document names: those that it includes, data files and OpenAPI documents.
enum DocumentLinks: EditorFeature {
    static let method = "textDocument/documentLink"
    static let capability: (name: String, value: JSON) = ("documentLinkProvider", [:])

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let root = request.tree else { return [] }
        let data = (root["data"]?.entries ?? []).compactMap { $0.value["file"] }
        let contracts = (root["services"]?.entries ?? []).compactMap { $0.value["openapi"] }
        let folder = FileContents.folder(of: request.document.name)
        var writer = PositionWriter(root.file, request.workspace.encoding)
        var links: [JSON] = []
        for node in (root["include"]?.sequence ?? []) + data + contracts {
            guard let name = node.text, !name.isEmpty, !name.contains("://"), !name.utf8.contains(0) else { continue }
            let key = request.workspace.key(ofName: FileContents.path(name, in: folder))
            links.append([
                "range": writer.range(WrittenName(node.span).span.range),
                "target": .string(request.workspace.uri(of: key)),
            ])
        }
        return .array(links)
    }
}

extension DocumentRequest {
    /// The values of the document, without lines that cannot be parsed.
    var tree: YAMLNode? {
        if let tree = YAMLReader().read(document.file).document { return tree }
        guard let text = RepairedText.repair(document.file) else { return nil }
        return YAMLReader().read(SourceFile(name: document.name, bytes: text)).document
    }
}
