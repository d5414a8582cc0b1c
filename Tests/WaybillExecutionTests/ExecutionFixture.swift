import Synchronization
import Testing
import WaybillDiagnostics
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@testable import WaybillExecution

/// A manifest given as a string, which runs on a scripted transport.
struct ExecutionFixture {
    let plan: Plan
    let transport: ScriptedTransport
    // Exists as long as the fixture.
    private let folder: TemporaryFolder

    /// Creates a manifest with one service, next to files that are empty or have the given contents.
    /// The string follows the line of `baseURL`.
    init(
        _ text: String,
        _ replies: [String: ScriptedTransport.Reply] = [:],
        at baseURL: String = "http://s",
        files: [String] = [],
        contents: [String: String] = [:],
        answering answer: @escaping @Sendable (HTTPRequest) -> ScriptedTransport.Reply? = { _ in nil }
    ) throws {
        folder = TemporaryFolder()
        for name in files { folder.write("", to: name) }
        for (name, text) in contents { folder.write(text, to: name) }
        let whole = "waybill: 1\nservices:\n  s:\n    baseURL: \(baseURL)\n" + text
        let path = folder.write(whole, to: "manifest.yaml")
        let loaded = ManifestLoader().load(path)
        try #require(!loaded.diagnostics.hasErrors, "\(HumanRenderer().render(loaded.diagnostics))")
        let checked = PlanBuilder.check(try #require(loaded.manifest))
        try #require(!checked.diagnostics.hasErrors, "\(HumanRenderer().render(checked.diagnostics))")
        let (plan, details) = PlanBuilder.plan(checked, options: PlanOptions())
        self.plan = try #require(plan, "\(HumanRenderer().render(details))")
        self.transport = ScriptedTransport(replies, answering: answer)
    }

    /// Runs the plan, on another transport than its own if one is given.
    ///
    /// - Parameter watch: Receives the context of the run before it starts.
    func run(
        over real: (any Transport & NetworkProbe)? = nil,
        secrets: [String: String] = [:],
        events: EventStream = EventStream(journal: nil),
        variables: [String: String] = [:],
        folder: RunFolder? = nil,
        control: RunControl = RunControl(),
        clock: any RunClock = SystemClock(),
        earlierRun: RunRecord? = nil,
        resumption: ResumeDecision = ResumeDecision(),
        repeatsUnsure: Bool = false,
        trace: TraceContext? = nil,
        memory: RunMemory = RunMemory(),
        watch: RunWatch? = nil
    ) async -> Executor.Outcome {
        var executor = Executor(
            plan: plan,
            transport: real ?? transport,
            secrets: secrets,
            redactor: Redactor(),
            events: events
        )
        executor.folder = folder
        executor.proxies = ProxyVariables(variables)
        executor.control = control
        executor.clock = clock
        executor.earlierRun = earlierRun
        executor.resumption = resumption
        executor.repeatsUnsure = repeatsUnsure
        executor.trace = trace
        executor.memory = memory
        let context = RunContext(executor, id: folder?.run ?? RunID(), startedAt: earlierRun?.startedAt ?? .now())
        watch?.start(context)
        return await executor.run(in: context)
    }

    /// Runs the plan with a results folder, and returns the outcome and the events.
    func run(
        into folder: TemporaryFolder,
        secrets: [String: String] = [:]
    ) async throws -> (outcome: Executor.Outcome, events: [RunEvent]) {
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        let listener = EventListener()
        let events = EventStream(journal: run.journal, observers: [listener])
        let outcome = await self.run(secrets: secrets, events: events, folder: run)
        try await run.journal.finish()
        return (outcome, listener.all)
    }
}

extension Executor.Outcome {
    /// `a:passed b:failed …`, in plan order, without groups of steps.
    var summary: String {
        result.steps.filter(\.isCounted).map { "\($0.id):\($0.outcome)" }.joined(separator: " ")
    }
}

/// Inspects a run from a test.
final class RunWatch: Sendable {
    private let context = Mutex<RunContext?>(nil)

    fileprivate func start(_ run: RunContext) { context.withLock { $0 = run } }

    /// Waits until this many requests wait for a permit.
    func waitForQueued(_ count: Int) async {
        await until { context.withLock { $0?.limiter.waitingCount == count } }
    }

    /// Waits until this many steps wait for a shared transfer.
    func waitForShared(_ count: Int) async {
        await until { context.withLock { $0?.shared.waitingCount == count } }
    }
}
