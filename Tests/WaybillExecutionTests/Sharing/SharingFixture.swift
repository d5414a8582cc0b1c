import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// A run of a manifest whose requests share something that is fetched.
struct SharingFixture {
    let plan: Plan
    let transport: ScriptedTransport
    let clock: ManualClock
    let listener = SharingListener()
    private let folder = TemporaryFolder()

    /// - Parameters:
    ///   - service: What the only service, `http://s`, says besides its base URL: lines without indentation.
    ///   - rest: The rest of the manifest.
    init(
        service: String,
        _ rest: String,
        clock: ManualClock = ManualClock(),
        interface: NetworkInterface? = nil,
        _ script: @escaping ScriptedTransport.Script
    ) throws {
        self.clock = clock
        let manifest = """
            waybill: 1
            services:
              s:
                baseURL: http://s
            \(service.split(separator: "\n").map { "    \($0)\n" }.joined())
            \(rest)

            """
        for name in ["c.pem", "c.key"] { folder.write("", to: name) }
        let loaded = try ManifestLoader().load(folder.write(manifest, to: "manifest.yaml"))
        try #require(!loaded.diagnostics.hasErrors, "\(HumanRenderer().render(loaded.diagnostics))")
        let checked = PlanBuilder.check(try #require(loaded.manifest))
        try #require(!checked.diagnostics.hasErrors, "\(HumanRenderer().render(checked.diagnostics))")
        let (plan, findings) = PlanBuilder.plan(checked, options: PlanOptions())
        self.plan = try #require(plan, "\(HumanRenderer().render(findings))")
        transport = ScriptedTransport(script: script, interface: interface)
    }

    /// A run that is cancelled while what is shared is fetched, once the fetching has been told of that.
    static func cancelled(service: String, _ rest: String) async throws -> (fixture: SharingFixture, result: RunResult)
    {
        let (begins, begun) = AsyncStream.makeStream(of: Void.self)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        let fixture = try SharingFixture(service: service, rest) { _, _ in
            begun.yield()
            await untilCancelled()
            ended.yield()
            return .json("{}")
        }
        let run = Task { await fixture.run() }
        await begins.first { _ in true }
        run.cancel()
        await ends.first { _ in true }
        return (fixture, await run.value)
    }

    func run(isMocked: Bool = false) async -> RunResult {
        let executor = Executor(
            plan: plan,
            transport: transport,
            probe: transport,
            secrets: [:],
            redactor: Redactor(),
            events: EventStream(journal: nil, observers: [listener]),
            clock: clock,
            isMocked: isMocked
        )
        return await executor.run(id: RunID()).result
    }

    /// A graph of so many requests of `/N` at once.
    static func batch(_ count: Int) -> String {
        let steps = (0..<count).map { "        - {get: /\($0)}\n" }.joined()
        return
            "defaults: {concurrency: \(count)}\ngraphs:\n  main:\n    concurrency: \(count)\n    onFailure: collect\n    batch:\n\(steps)"
    }
}

extension RunResult {
    /// How many steps ended in which way.
    func count(_ outcome: StepOutcome) -> Int { steps.count { $0.outcome == outcome } }
    /// The failures of all steps.
    var failures: [Failure] { steps.compactMap(\.failure) }
}

/// Remembers every event as the journal has it.
final class SharingListener: RunObserver {
    private let events = Mutex<[RunEvent]>([])

    /// How many sessions and tokens were renewed.
    var renewals: Int {
        events.withLock { events in
            events.count { if case .sessionRenewed = $0.kind { true } else { false } }
        }
    }

    func receive(_ event: RunEvent) { events.withLock { $0.append(event) } }
}
