import WaybillDiagnostics
import WaybillJSON

/// Code actions that apply what a diagnostic suggests: the name that was probably meant, and inputs that a call is missing.
enum QuickFixes: EditorFeature {
    static let method = "textDocument/codeAction"
    static let capability: (name: String, value: JSON) = ("codeActionProvider", ["codeActionKinds": ["quickfix"]])

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        let range = try request.range()
        if let only = request.parameters["context"]?["only"]?.array, !only.contains(where: { $0 == "quickfix" }) {
            return []
        }
        guard let analysis = request.analysis else { return [] }
        let diagnostics = analysis.diagnostics.filter { diagnostic in
            guard let span = diagnostic.primary?.span, request.isDocument(span.file) else { return false }
            return span.range.lowerBound <= range.upperBound && range.lowerBound <= span.range.upperBound
        }
        return .array(diagnostics.compactMap { action(for: $0, in: request) })
    }

    private static func action(for diagnostic: Diagnostic, in request: DocumentRequest) -> JSON? {
        guard let label = diagnostic.primary, let name = label.suggestedName else { return nil }
        let edit = WrittenName(label.span).edit(to: name)
        return [
            "title": .string("Replace by '\(name)'"), "kind": "quickfix", "isPreferred": true,
            "edit": request.workspace.edit([edit]),
        ]
    }
}

extension Diagnostic.Label {
    /// The name in “did you mean 'NAME'?”.
    fileprivate var suggestedName: String? {
        let (start, end) = ("did you mean '", "'?")
        guard text.hasPrefix(start), text.hasSuffix(end), text.count > start.count + end.count else { return nil }
        return String(text.dropFirst(start.count).dropLast(end.count))
    }
}
