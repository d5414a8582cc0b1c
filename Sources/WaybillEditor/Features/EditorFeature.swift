import WaybillDiagnostics
import WaybillJSON

/// A request about documents that the server responds to. Each feature is a file of this folder; `EditorFeatures` lists them.
protocol EditorFeature: Sendable {
    /// The method of the request.
    static var method: String { get }
    /// The member of the server's capabilities that announces the feature.
    static var capability: (name: String, value: JSON) { get }
    /// Returns the result for a document.
    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON
}

/// The features.
enum EditorFeatures {
    static let all: [any EditorFeature.Type] = [
        QuickFixes.self, Definition.self, References.self, Highlights.self, PrepareRename.self, Rename.self,
        DocumentSymbols.self, FoldingRanges.self, DocumentLinks.self, Completion.self, Hover.self, CodeLenses.self,
        InlayHints.self,
    ]

    private static let byMethod = Dictionary(uniqueKeysWithValues: all.map { ($0.method, $0) })

    /// Returns the feature of a method.
    static func named(_ method: String) -> (any EditorFeature.Type)? { byMethod[method] }
}

/// A request about an open document.
struct DocumentRequest {
    let workspace: Workspace
    let document: TextDocument
    /// The identity of the document.
    let key: CodePoints
    let parameters: JSON

    /// Throws if the document is not open.
    init(_ parameters: JSON, in workspace: Workspace) throws(ResponseError) {
        guard let uri = parameters["textDocument"]?["uri"]?.string else {
            throw ResponseError(.invalidParameters, "'textDocument.uri' is missing")
        }
        guard let document = workspace.document(uri) else {
            throw ResponseError(.invalidParameters, "the document is not open: \(uri)")
        }
        (self.workspace, self.document, self.parameters) = (workspace, document, parameters)
        key = workspace.key(ofURI: uri)
    }

    /// What is known of the first manifest that the document is part of. The lines of the document that cannot be parsed are
    /// left out.
    var analysis: Analysis? {
        workspace.roots(of: key).first.flatMap { workspace.analysis(of: $0, for: key) }
    }

    /// The byte offset of the position; throws without one.
    func offset() throws(ResponseError) -> Int {
        if let offset = workspace.encoding.offset(of: parameters["position"], in: document.file) { return offset }
        throw ResponseError(.invalidParameters, "'position' is missing or invalid")
    }

    /// The byte range; throws without one.
    func range() throws(ResponseError) -> Range<Int> {
        if let range = workspace.encoding.byteRange(of: parameters["range"], in: document.file) { return range }
        throw ResponseError(.invalidParameters, "'range' is missing or invalid")
    }

    /// Whether a source file is the document.
    func isDocument(_ file: SourceFile) -> Bool { workspace.key(ofName: file.name) == key }
}
