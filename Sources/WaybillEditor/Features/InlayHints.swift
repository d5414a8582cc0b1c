import WaybillDiagnostics
import WaybillJSON
import WaybillPlan

/// Hints after the paths whose value may be missing, with the reason.
enum InlayHints: EditorFeature {
    static let method = "textDocument/inlayHint"
    static let capability: (name: String, value: JSON) = ("inlayHintProvider", true)

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        let range = try request.range()
        guard let analysis = request.analysis, let checked = analysis.checked else { return [] }
        var writer = PositionWriter(request.document.file, request.workspace.encoding)
        var hints: [JSON] = []
        for uncertain in checked.uncertainReferences.sorted(by: { $0.span.range.upperBound < $1.span.range.upperBound })
        where request.isDocument(uncertain.span.file) && range.contains(uncertain.span.range.lowerBound) {
            hints.append([
                "position": writer.position(at: uncertain.span.range.upperBound), "label": "may be missing",
                "paddingLeft": true, "tooltip": .string("The step may not have passed: \(uncertain.reason)."),
            ])
        }
        return .array(hints)
    }
}
