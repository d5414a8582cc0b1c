import ArgumentParser
import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillRuntime

/// `waybill mcp`
struct AgentServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serves agents with the Model Context Protocol on standard input and output.",
        discussion: """
            Agents can list, check, plan and run the manifests in the current folder, and read the results of runs; no other \
            files. Runs use the mock server, unless --allow names the manifest. Only waybill-results is changed. docs/agents.md \
            has set-ups.

            Exit status: 0 the client has ended the session, 2 a manifest or file of the options is invalid, 64 wrong usage, \
            129, 130 and 143 interrupted.
            """
    )

    @Option(
        help: ArgumentHelp(
            "A manifest, or one of its graphs, that may send requests to its services; may be repeated.",
            valueName: "manifest[#graph]"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var allow: [String] = []

    @Option(
        name: .customLong("env"),
        help: "An environment that such a run may use; may be repeated. Default: none."
    )
    var environments: [String] = []

    @Option(
        name: .customLong("env-file"),
        help: "A file of NAME=VALUE lines, for inputs and secrets from environment variables; may be repeated.",
        completion: .file()
    )
    var environmentFiles: [String] = []

    func run() throws {
        let output = Output(noColour: false)
        var options = PlanOptions()
        options.setVariables()
        let diagnostics = options.read(inputFiles: [], environmentFiles: environmentFiles)
        guard !diagnostics.hasErrors else { throw output.invalid(diagnostics) }
        let folder = AgentFolder(
            permissions: try allow.map { try permission($0, output) },
            environments: environments,
            options: options
        )
        do throws(SystemError) {
            try AgentServer(folder).serve()
        } catch {
            throw output.notRun("could not start the server: \(error)")
        }
        if let signal = Signals.received { throw ExitCode(128 + signal) }
    }

    /// Reads `MANIFEST[#GRAPH]`. A graph that does not exist is an error now, not when an agent runs it.
    private func permission(_ text: String, _ output: Output) throws -> AgentFolder.Permission {
        let hash = FileContents.canonicalPath(text) == nil ? text.utf8.lastIndex(of: UInt8(ascii: "#")) : nil
        let path = hash.map { String(text[..<$0]) } ?? text
        let graph = hash.map { String(text[text.utf8.index(after: $0)...]) }
        guard let canonical = FileContents.canonicalPath(path),
            FolderBoundary(folder: ".", allowsOutside: false).contains(path)
        else { throw ValidationError("--allow must name a manifest in the current folder, not '\(path)'.") }
        let pipeline = Pipeline()
        let stage = pipeline.check(pipeline.load(path))
        guard let manifest = stage.value?.manifest else { throw output.invalid(stage.diagnostics) }
        if let graph, manifest.graphs[graph] == nil {
            let nearest = NearestName.of(graph, among: manifest.graphs.keys).map { " Did you mean '\($0)'?" } ?? ""
            throw ValidationError("'\(path)' has no graph '\(graph)'.\(nearest)")
        }
        return AgentFolder.Permission(manifest: CodePoints(canonical), graph: graph)
    }
}
