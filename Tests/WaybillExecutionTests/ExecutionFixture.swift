import Testing
import WaybillData
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

    /// A manifest with one service, `http://s`; the text begins where that ends.
    init(_ text: String, _ replies: [String: FakeTransport.Reply] = [:]) throws {
        let folder = TemporaryFolder()
        let whole = "waybill: 1\nservices:\n  s:\n    baseURL: http://s\n" + text
        let path = folder.write(whole, to: "manifest.yaml")
        let (manifest, diagnostics) = try ManifestLoader().load(path)
        let rendered = HumanRenderer().render(diagnostics)
        let (plan, findings) = PlanBuilder.plan(try #require(manifest, "\(rendered)"), options: PlanOptions())
        self.plan = try #require(plan, "\(HumanRenderer().render(findings))")
        self.transport = FakeTransport(replies)
    }

    /// Runs the plan.
    func run(
        secrets: [String: String] = [:],
        events: EventStream = EventStream(journal: nil),
        variables: [String: String] = [:],
        control: RunControl = RunControl(),
        clock: any RunClock = SystemClock()
    ) async -> Executor.Outcome {
        let executor = Executor(
            plan: plan,
            transport: transport,
            probe: transport,
            secrets: secrets,
            redactor: Redactor(),
            events: events,
            proxies: ProxyVariables(variables),
            control: control,
            clock: clock
        )
        return await executor.run(id: RunID())
    }
}

extension Executor.Outcome {
    /// `a:passed b:failed …`, in plan order.
    var summary: String {
        result.steps.map { "\($0.id):\($0.outcome)" }.joined(separator: " ")
    }
}
