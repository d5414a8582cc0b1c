import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// Commands above each graph: run it, and run it with the mock server. The client executes the command `waybill.run`, for example in a
/// terminal; its argument has the path of the manifest, the name of the graph, and whether the mock server is used.
enum CodeLenses: EditorFeature {
    static let method = "textDocument/codeLens"
    static let capability: (name: String, value: JSON) = ("codeLensProvider", [:])

    static func result(for request: DocumentRequest) throws(ResponseError) -> JSON {
        guard let root = request.tree, let manifest = request.workspace.roots(of: request.key).first else { return [] }
        var writer = PositionWriter(root.file, request.workspace.encoding)
        var lenses: [JSON] = []
        for (key, _) in root["graphs"]?.entries ?? [] {
            guard let graph = key.text else { continue }
            let range = writer.range(key.span.range)
            for (title, usesMock) in [("run", false), ("run with --mock", true)] {
                let argument: JSON = [
                    "manifest": .string(manifest.text), "graph": .string(graph), "mock": .bool(usesMock),
                ]
                lenses.append([
                    "range": range,
                    "command": ["title": .string(title), "command": "waybill.run", "arguments": [argument]],
                ])
            }
        }
        return .array(lenses)
    }
}
