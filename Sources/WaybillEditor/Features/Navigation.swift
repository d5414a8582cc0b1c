import WaybillDiagnostics
import WaybillJSON
import WaybillPlan

/// Where a name is defined.
enum Definition: EditorFeature {
    static let method = "textDocument/definition"
    static let capability: (name: String, value: JSON) = ("definitionProvider", true)

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let lookup = try NameLookup(request) else { return .null }
        return request.workspace.location(lookup.symbol.definition)
    }
}

/// Where a name is used, in all manifests that include its definition.
enum References: EditorFeature {
    static let method = "textDocument/references"
    static let capability: (name: String, value: JSON) = ("referencesProvider", true)

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let lookup = try NameLookup(request) else { return .null }
        let includesDefinition = request.parameters["context"]?["includeDeclaration"]?.bool ?? true
        let uses = lookup.uses.filter { includesDefinition || !$0.isDefinition }
        return .array(uses.map { request.workspace.location(WrittenName($0.span).span) })
    }
}

/// The occurrences of a name in the document itself.
enum Highlights: EditorFeature {
    static let method = "textDocument/documentHighlight"
    static let capability: (name: String, value: JSON) = ("documentHighlightProvider", true)

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let lookup = try NameLookup(request) else { return .null }
        let uses = lookup.uses.filter { request.isDocument($0.span.file) }
        return .array(
            uses.map { use in
                var writer = PositionWriter(use.span.file, request.workspace.encoding)
                // The kinds of LSP: 2 reads, 3 writes.
                return ["range": writer.range(WrittenName(use.span).span.range), "kind": use.isDefinition ? 3 : 2]
            }
        )
    }
}
