import Synchronization
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
    static let title = "Run a graph"
    static let description =
        "Runs a graph and returns its outputs and failures, and the name of the run for 'show'. The mock server responds, with the "
        + "examples of the manifest, unless list_manifests says that the graph is 'real'; 'mocked' says which it was."
    static let arguments: JSON = [
        "manifest": AgentTools.manifest, "environment": AgentTools.environment, "graph": AgentTools.graph,
        "inputs": AgentTools.inputs,
        "mock": [
            "type": "boolean",
            "description":
                "Whether the mock server responds. Default: false for a graph that is 'real', otherwise true.",
        ],
    ]
    static let output: JSON? = RunContent.schema("failures")
    static let isReadOnly = false

    static func result(of call: ToolCall, in folder: AgentFolder) throws(ToolFailure) -> ToolResult {
        let options = folder.planOptions(of: call)
        let stage = try folder.manifest(of: call).then { Pipeline.plan($0, options) }
        guard let plan = stage.value else { throw ToolFailure(stage.diagnostics) }
        let refused = plan.graphs.first { !folder.allows($0.name, of: plan.manifest) }
        let isMocked = call.arguments["mock"]?.bool ?? (refused != nil)
        if !isMocked { try checkRealRun(of: plan, refused, in: folder) }
        try folder.check(RunFolders.usual)

        let observer = RunProgressObserver(call, stepCount: plan.stepCount)
        var run = RunOptions()
        run.usesMock = isMocked
        run.variables = options.variables
        // The usual folder of the cache is not one of the server's.
        run.variables["XDG_CACHE_HOME"] = FileContents.resolvedPath("\(RunFolders.usual)/cache")
        run.control = call.control
        run.observers = [observer]
        run.warn = { observer.warn($0.headline) }
        run.runsAtOnce = AgentServer.maximumCalls
        let session = Pipeline.session(for: plan, run)
        do throws(RunError) {
            let report = try waiting { () async throws(RunError) in try await session.run() }
            var content = RunContent(report.result, in: report.folder, isMocked: isMocked)
            content.outputs = report.outputs
            content.warnings = stage.diagnostics.map(\.headline) + observer.warnings
            let failed = report.result.steps.filter { $0.failure != nil }
            return ToolResult(
                content: content.json("failures", failed, folder.redactor),
                hasFailed: report.result.outcome != .passed
            )
        } catch {
            guard error.manifestDiagnostics.isEmpty else { throw ToolFailure(error.manifestDiagnostics) }
            throw ToolFailure(error.message)
        }
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
        let changed = plan.namedFiles.first { file in
            switch file.kind {
            case .jar, .cache: !results.encloses(file.location)
            case .body, .tls, .netrc, .snapshot: false
            }
        }
        guard let changed else { return }
        throw ToolFailure("the run would change '\(changed.location)', which is not in '\(RunFolders.usual)'")
    }
}

/// Reports the steps of a run that have finished, and keeps its warnings.
private final class RunProgressObserver: RunObserver {
    private struct State {
        var finished = 0
        var warnings: [String] = []
    }

    /// The maximum number of warnings that are kept.
    private static let maximumWarnings = 20

    private let call: ToolCall
    private let stepCount: Int
    private let state = Mutex(State())

    init(_ call: ToolCall, stepCount: Int) {
        (self.call, self.stepCount) = (call, stepCount)
    }

    var warnings: [String] { state.withLock(\.warnings) }

    func warn(_ message: String) {
        state.withLock { state in
            if state.warnings.count < Self.maximumWarnings { state.warnings.append(message.excerpt(500)) }
        }
    }

    func receive(_ event: RunEvent) {
        switch event.kind {
        case .warning(let text, _): warn(text.string)
        case .stepFinished, .stepSkipped:
            let finished = state.withLock { state in
                state.finished += 1
                return state.finished
            }
            call.progress(finished, max(finished, stepCount), event.step ?? "")
        default: break
        }
    }
}

extension Plan {
    /// The number of steps of its graphs.
    fileprivate var stepCount: Int { graphs.reduce(0) { $0 + $1.allSteps.count } }
}
