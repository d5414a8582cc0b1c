import OrderedCollections
import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillExplanations
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTestSupport

@testable import WaybillPipeline

/// Every manifest that `validate` accepts can be run with `run`.
@Suite(.timeLimit(.minutes(5))) struct AcceptedManifestTests {
    private static let projectRoot: String = {
        let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/" + path
    }()

    /// Every manifest in the tests and examples, by its path in the project.
    static let manifests = ["Tests", "manifests"]
        .flatMap { TemporaryFolder.files(in: "\(projectRoot)/\($0)", ending: ".yaml") }
        .map { String($0.dropFirst(projectRoot.count + 1)) }

    /// The pages of `explain` with a manifest in their right example.
    static let pages = Explanation.all.filter { page in
        page.example?.right.files.contains { $0.name.hasSuffix(".yaml") } ?? false
    }

    @Test(arguments: manifests)
    func `run --mock accepts every manifest that validate accepts`(_ manifest: String) async throws {
        try await check("\(Self.projectRoot)/\(manifest)")
    }

    @Test(arguments: pages)
    func `run --mock accepts the right examples of explain`(_ page: Explanation) async throws {
        let folder = TemporaryFolder()
        let files = try #require(page.example).right.files
        // Examples with files in folders are covered by the tests of the pages.
        guard files.allSatisfy({ !$0.name.contains("/") }) else { return }
        for file in files { folder.write(file.text + "\n", to: file.name) }
        for file in files where file.name.hasSuffix(".yaml") { try await check("\(folder.path)/\(file.name)") }
    }

    /// Runs every graph of a manifest in every environment, if the manifest is accepted.
    private func check(_ path: String) async throws {
        let pipeline = Pipeline()
        let loaded = pipeline.load(path)
        guard let manifest = pipeline.check(loaded).value?.manifest else { return }
        for environment in [nil] + manifest.environments.keys.map({ $0 }) {
            var options = PlanOptions()
            options.values = Self.values(for: manifest.inputs)
            let accepted = pipeline.check(loaded, environment: environment).checkingInputs(options)
            guard let manifest = accepted.value?.manifest else { continue }
            for graph in manifest.graphs.keys {
                options.graphs = [graph]
                options.values = Self.values(
                    for: manifest.inputs.merging(manifest.graphs[graph]?.value.inputs ?? [:]) { own, _ in own }
                )
                let stage = accepted.then { [options] in Pipeline.plan($0, options) }
                let plan = try #require(stage.value, "\(HumanRenderer().document(for: stage.diagnostics))")
                await run(plan)
            }
        }
    }

    private func run(_ plan: Plan) async {
        let folder = TemporaryFolder()
        var options = RunOptions()
        options.usesMock = true
        options.outputFolder = "\(folder.path)/results"
        for secret in plan.secrets {
            if let variable = secret.source.variable { options.variables[variable] = "a secret value" }
        }
        let bound = RunBound(options.control)
        options.observers = [bound]
        options.clock = bound
        do throws(RunError) {
            _ = try await Pipeline.session(for: plan, options).run()
        } catch {
            Issue.record("\(error.message)\n\(HumanRenderer().document(for: error.manifestDiagnostics))")
        }
    }

    /// A value for each input without a default, if its schema is simple enough to choose one.
    private static func values(for inputs: Definitions<InputDeclaration>) -> JSONObject {
        var values = JSONObject()
        for (name, input) in inputs where input.value.defaultValue == nil {
            let document = input.value.document
            let type = input.value.types.first
            let simple: JSON =
                switch type {
                case "integer", "number": document["minimum"] ?? 1
                case "boolean": true
                case "array": []
                case "object": [:]
                case "null": .null
                default: "a value"
                }
            values[name] = document["const"] ?? document["enum"]?.array?.first ?? simple
        }
        return values
    }
}

extension Explanation: CustomTestStringConvertible {
    package var testDescription: String { id.name }
}

/// Stops a run that would never finish, such as one that polls an example that never changes. Its waits take no time.
private final class RunBound: RunClock, RunObserver {
    private let control: RunControl
    private let state = Mutex((now: Duration.zero, sleeps: 0, events: 0))

    init(_ control: RunControl) {
        self.control = control
    }

    var now: Duration { state.withLock { $0.now } }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let sleeps = state.withLock { state in
            state.now += duration
            state.sleeps += 1
            return state.sleeps
        }
        if sleeps == 200 { control.stop() }
        await Task.yield()
    }

    func receive(_ event: RunEvent) {
        let events = state.withLock { state in
            state.events += 1
            return state.events
        }
        if events == 2000 { control.stop() }
    }
}
