import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// Runs of manifests that are given as text, on a fake transport.
struct ExecutionFixture {
    let plan: Plan
    let transport: FakeTransport
    // It is there as long as the fixture.
    private let folder: TemporaryFolder

    /// A manifest with one service at an address, beside empty files and others; the text begins where the address ends.
    init(
        _ text: String,
        _ replies: [String: FakeTransport.Reply] = [:],
        at baseURL: String = "http://s",
        files: [String] = [],
        contents: [String: String] = [:],
        answering answer: @escaping @Sendable (HTTPRequest) -> FakeTransport.Reply? = { _ in nil }
    ) throws {
        folder = TemporaryFolder()
        for name in files { folder.write("", to: name) }
        for (name, text) in contents { folder.write(text, to: name) }
        let whole = "waybill: 1\nservices:\n  s:\n    baseURL: \(baseURL)\n" + text
        let path = folder.write(whole, to: "manifest.yaml")
        let loaded = try ManifestLoader().load(path)
        try #require(!loaded.diagnostics.hasErrors, "\(HumanRenderer().render(loaded.diagnostics))")
        let checked = PlanBuilder.check(try #require(loaded.manifest))
        try #require(!checked.diagnostics.hasErrors, "\(HumanRenderer().render(checked.diagnostics))")
        let (plan, findings) = PlanBuilder.plan(checked, options: PlanOptions())
        self.plan = try #require(plan, "\(HumanRenderer().render(findings))")
        self.transport = FakeTransport(replies, answering: answer)
    }

    /// Runs the plan, over another transport than its own if there is one.
    func run(
        over real: (any Transport & NetworkProbe)? = nil,
        secrets: [String: String] = [:],
        events: EventStream = EventStream(journal: nil),
        variables: [String: String] = [:],
        folder: RunFolder? = nil,
        control: RunControl = RunControl(),
        clock: any RunClock = SystemClock(),
        past: RunRecord? = nil,
        resumption: ResumeDecision = ResumeDecision(),
        repeatsUnsure: Bool = false
    ) async -> Executor.Outcome {
        let executor = Executor(
            plan: plan,
            transport: real ?? transport,
            probe: real ?? transport,
            secrets: secrets,
            redactor: Redactor(),
            events: events,
            folder: folder,
            proxies: ProxyVariables(variables),
            control: control,
            clock: clock,
            past: past,
            resumption: resumption,
            repeatsUnsure: repeatsUnsure
        )
        return await executor.run(id: RunID())
    }

    /// Runs the plan with a results folder, and tells what happened and, by their paths, what is in its files.
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
    /// `a:passed b:failed …`, in plan order.
    var summary: String {
        result.steps.map { "\($0.id):\($0.outcome)" }.joined(separator: " ")
    }
}
