import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillResults
import WaybillRuntime

/// `run`
enum RunTool: AgentTool {
    static let name = "run"
    static let description =
        "Runs a graph and returns its outputs and failures, and the name of the run for 'show'. The mock server responds, with the "
        + "examples of the manifest, unless list_manifests says that the graph is 'real'; 'mocked' says which it was."
    static let arguments = AgentTools.ofPlans(and: [
        "mock": [
            "type": "boolean",
            "description":
                "Whether the mock server responds. Default: false for a graph that is 'real', otherwise true.",
        ]
    ])
    static let output: JSON? = RunContent.schema("failures")

    static func result(of call: ToolCall, in folder: AgentFolder) throws(ToolFailure) -> ToolResult {
        let options = folder.planOptions(of: call)
        let stage = try folder.manifest(of: call).then { Pipeline.plan($0, options) }
        guard let plan = stage.value else { throw ToolFailure(stage.diagnostics) }
        let refused = plan.graphs.first { !folder.allows($0.name, of: plan.manifest) }
        var run = RunOptions()
        run.usesMock = call.arguments["mock"]?.bool ?? (refused != nil)
        if !run.usesMock { try checkRealRun(of: plan, refused, in: folder) }
        try folder.check(RunFolders.usual)
        run.variables = options.variables
        // The usual folder of the cache is not one of the server's.
        run.variables["XDG_CACHE_HOME"] = FileContents.resolvedPath("\(RunFolders.usual)/cache")
        run.control = call.control
        run.runsAtOnce = AgentServer.maximumCalls
        let session = Pipeline.session(for: plan, run)
        let report: RunSession.Report
        do throws(RunError) {
            report = try waiting { () async throws(RunError) in try await session.run() }
        } catch {
            throw error.manifestDiagnostics.isEmpty
                ? ToolFailure(error.message) : ToolFailure(error.manifestDiagnostics)
        }
        let result = report.result
        let content = RunContent(result: result, folder: report.folder, isMocked: run.usesMock, outputs: report.outputs)
        let warnings = stage.diagnostics.map(\.headline) + ReportedRun(result, in: report.folder).warnings
        let failed = result.steps.filter { $0.failure != nil }
        return ToolResult(
            content: content.json("failures", failed, warnings: warnings, folder.redactor),
            hasFailed: result.outcome != .passed
        )
    }

    /// Throws unless the user has allowed a run without the mock server, and it changes nothing but the results folder.
    private static func checkRealRun(of plan: Plan, _ refused: GraphPlan?, in folder: AgentFolder) throws(ToolFailure) {
        if let refused {
            throw ToolFailure(
                "graph '\(refused.name)' of '\(plan.manifest)' may not send real requests: the user must start the server with "
                    + "--allow '\(plan.manifest)#\(refused.name)'. Without 'mock', it runs on the mock server."
            )
        }
        if let name = plan.environment, !folder.environments.contains(where: { $0.hasSameCodePoints(as: name) }) {
            throw ToolFailure(
                "real requests may not use the environment '\(name)': the user must start the server with --env '\(name)'"
            )
        }
        let results = FolderBoundary(folder: RunFolders.usual, allowsOutside: false)
        let changed = plan.namedFiles.first { [.jar, .cache].contains($0.kind) && !results.encloses($0.location) }
        if let changed {
            throw ToolFailure("the run would change '\(changed.location)', which is not in '\(RunFolders.usual)'")
        }
    }
}
