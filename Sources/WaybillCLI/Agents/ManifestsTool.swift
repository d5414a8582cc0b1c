import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillResults
import WaybillRuntime

/// `list_manifests`
enum ManifestsTool: AgentTool {
    static let name = "list_manifests"
    static let description =
        "Lists the manifests in the folder of the server, with their graphs, the JSON Schemas of the inputs of each graph, and "
        + "whether a graph may send real requests."
    static let arguments: JSON = [
        "folder": ["type": "string", "description": "A folder in that of the server. Default: all."]
    ]
    static let output: JSON? = [
        "type": "object",
        "properties": [
            "manifests": ["type": "array", "items": ["type": "object"]],
            "omitted": ["type": "integer", "description": "The number of manifests that are not listed."],
        ],
        "required": ["manifests", "omitted"],
    ]

    /// The maximum number of entries of the folder that are inspected, and of manifests that are read.
    private static let maximumEntries = 20_000
    private static let maximumManifests = 200

    static func result(of call: ToolCall, in folder: AgentFolder) throws(ToolFailure) -> ToolResult {
        let path = call.arguments["folder"]?.string ?? "."
        try folder.check(path)
        guard (try? FileStatus(of: path))?.kind == .folder else { throw ToolFailure("'\(path)' is not a folder") }
        let found = ManifestFinder.manifests(at: [path], maximumEntries: maximumEntries).manifests
        let paths = found.filter { (try? folder.check($0)) != nil }
            .map { path == "." ? FileContents.names(in: $0).dropFirst().joined(separator: "/") : $0 }
        var budget = ResultBudget(AgentTools.maximumBytes - 1024)
        var listed: [JSON] = []
        for path in paths.prefix(maximumManifests) {
            let whole = folder.redactor.redact(entry(of: path, in: folder))
            let short: JSON = ["path": .string(path), "omitted": "the graphs, which are too many"]
            guard let entry = [whole, short].first(where: { budget.takes($0) }) else { break }
            listed.append(entry)
        }
        return ToolResult(
            content: [
                "manifests": .array(listed), "omitted": .number(JSONNumber(paths.count - listed.count)),
            ]
        )
    }

    private static func entry(of path: String, in folder: AgentFolder) -> JSON {
        var entry = JSONObject()
        entry["path"] = .string(path)
        let loaded = folder.load(path, folder.pipeline)
        if loaded.diagnostics.hasErrors { entry["hasErrors"] = true }
        guard let manifest = loaded.manifest else { return .object(entry) }
        if manifest.hasName { entry["name"] = .string(manifest.name) }
        entry["description"] = manifest.description.map(JSON.string)
        if !manifest.environments.isEmpty {
            entry["environments"] = .array(manifest.environments.keys.map(JSON.string))
        }
        entry["graphs"] = .array(
            manifest.graphs.map { name, definition in
                let graph = definition.value
                var member = JSONObject()
                member["name"] = .string(name)
                member["description"] = graph.description.map(JSON.string)
                member["inputs"] = schema(of: graph.inputs.merging(manifest.inputs) { own, _ in own })
                member["real"] = .bool(folder.allows(name, of: path))
                return .object(member)
            }
        )
        return .object(entry)
    }

    /// Returns the JSON Schema of an object with the values of inputs.
    private static func schema(of inputs: Definitions<InputDeclaration>) -> JSON {
        var properties = JSONObject()
        for (name, definition) in inputs {
            let input = definition.value
            var schema = input.document.object ?? JSONObject()
            schema["default"] = input.defaultValue
            properties[name] = .object(schema)
        }
        let required = inputs.filter { $0.value.value.defaultValue == nil && $0.value.value.environmentVariable == nil }
        return [
            "type": "object", "properties": .object(properties), "required": .array(required.map { .string($0.key) }),
        ]
    }
}
