import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillResults
import WaybillRuntime

/// The folder that the server was started in, and what agents may do with the manifests in it.
struct AgentFolder: Sendable {
    /// A manifest, or one of its graphs, that may send requests to its services.
    struct Permission: Sendable {
        /// The canonical path of the manifest.
        let manifest: CodePoints
        /// The graph; `nil` for all of them.
        let graph: String?
    }

    /// What may be run without the mock server.
    let permissions: [Permission]
    /// The environments that such a run may use.
    let environments: [String]
    /// The values of environment variables.
    let options: PlanOptions
    /// Knows the secrets of all manifests that were read. Everything that is sent passes it.
    let redactor = Redactor()
    private let boundary = FolderBoundary(folder: ".", allowsOutside: false)

    /// What agents read before they call a tool.
    var instructions: String {
        "Waybill runs HTTP workflows that are declared in YAML manifests. Call list_manifests first: it has their graphs and inputs. "
            + (permissions.isEmpty
                ? "All runs use the mock server, so they show nothing about a service."
                : "Graphs with 'real' send requests to their services; all others run on the mock server.")
    }

    /// Reads files in the folder only.
    var pipeline: Pipeline { Pipeline(files: FolderFiles(boundary: boundary)) }

    /// Throws if a path leads out of the folder.
    func check(_ path: String) throws(ToolFailure) {
        guard !path.isEmpty, path != "-", !path.utf8.contains(0), boundary.encloses(path) else {
            throw ToolFailure("'\(path.excerpt(200))' is not a path in the folder of the server")
        }
    }

    /// Reads and checks the manifest that a call names, with its environment.
    func manifest(
        of call: ToolCall,
        _ operations: BoundOperations = .called
    ) throws(ToolFailure) -> Pipeline.Stage<ResolvedManifest> {
        let path = call.arguments["manifest"]?.string ?? ManifestFinder.usual
        try check(path)
        let pipeline = pipeline
        let environment = call.arguments["environment"]?.string
        return pipeline.check(load(path, pipeline), environment: environment, operations: operations)
    }

    /// Reads a manifest in the folder.
    func load(_ path: String, _ pipeline: Pipeline) -> LoadedManifest {
        let loaded = pipeline.load(path)
        let secrets = loaded.manifest.map { manifest in
            manifest.secrets.values.map(\.value)
                + manifest.environments.values.flatMap(\.value.secrets).map(\.value)
        }
        for secret in secrets ?? [] {
            secret.variable.flatMap { options.variables[$0] }.map { _ = redactor.register($0) }
        }
        return loaded
    }

    /// Returns the options for a plan with the graph and the inputs that a call gives.
    func planOptions(of call: ToolCall) -> PlanOptions {
        var options = options
        options.graphs = call.arguments["graph"]?.string.map { [$0] } ?? []
        options.values = call.arguments["inputs"]?.object ?? JSONObject()
        return options
    }

    /// Whether a graph of a manifest may send requests to its services.
    func allows(_ graph: String, of manifest: String) -> Bool {
        guard let path = FileContents.canonicalPath(manifest) else { return false }
        return permissions.contains { permission in
            permission.manifest == CodePoints(path) && permission.graph?.hasSameCodePoints(as: graph) ?? true
        }
    }
}

/// The files in a folder. Links that lead out of it are not followed, even if they replace a file that was checked.
private struct FolderFiles: ManifestFileSystem {
    let boundary: FolderBoundary

    func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        try LocalFile(path, within: boundary).read(limit: limit)
    }
}

/// Why a tool has no result; agents read the message.
struct ToolFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }

    /// A failure because of diagnostics.
    init(_ diagnostics: [Diagnostic]) {
        message = HumanRenderer().render(diagnostics.withoutRepetitions().map(\.forAgents))
    }
}

extension Diagnostic {
    /// The diagnostic with help that names neither options of the command line nor those of the library.
    var forAgents: Diagnostic {
        var diagnostic = self
        diagnostic.help =
            switch id {
            case "outside-folder": ["A manifest can only use files in its own folder; runs write to their own."]
            case "missing-secret": ["The user can set the variable for the server, or name a file with --env-file."]
            case "missing-file": help
            case "no-graph" where programHelp != nil: ["Choose one with 'graph'; list_manifests has their names."]
            default: programHelp ?? help
            }
        return diagnostic
    }
}
