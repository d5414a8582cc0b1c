import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// A run of a manifest whose requests share a fetched session or token.
struct SharingFixture {
    let plan: Plan
    let transport: ScriptedTransport
    let clock: ManualClock
    let listener = SharingListener()
    private let folder = TemporaryFolder()

    /// - Parameters:
    ///   - service: The settings of the only service, `http://s`, except its base URL: lines without indentation.
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
        let loaded = ManifestLoader().load(folder.write(manifest, to: "manifest.yaml"))
        try #require(!loaded.diagnostics.hasErrors, "\(HumanRenderer().render(loaded.diagnostics))")
        let checked = PlanBuilder.check(try #require(loaded.manifest))
        try #require(!checked.diagnostics.hasErrors, "\(HumanRenderer().render(checked.diagnostics))")
        let (plan, details) = PlanBuilder.plan(checked, options: PlanOptions())
        self.plan = try #require(plan, "\(HumanRenderer().render(details))")
        transport = ScriptedTransport(script: script, interface: interface)
    }

    /// Cancels a run during a fetch of the shared value, and waits until the fetch has been cancelled too.
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
        var executor = Executor(
            plan: plan,
            transport: transport,
            secrets: [:],
            redactor: Redactor(),
            events: EventStream(journal: nil, observers: [listener])
        )
        executor.clock = clock
        executor.isMocked = isMocked
        return await executor.run(id: RunID()).result
    }

    /// A graph of this many simultaneous requests to `/N`.
    static func batch(_ count: Int) -> String {
        let steps = (0..<count).map { "        - {get: /\($0)}\n" }.joined()
        return
            "defaults: {concurrency: \(count)}\ngraphs:\n  main:\n    concurrency: \(count)\n    onFailure: collect\n    batch:\n\(steps)"
    }
}

extension RunResult {
    /// The number of steps with an outcome.
    func count(_ outcome: StepOutcome) -> Int { steps.count { $0.outcome == outcome } }
    /// The failures of all steps.
    var failures: [Failure] { steps.compactMap(\.failure) }
}

/// Records all events.
final class SharingListener: RunObserver {
    private let events = Mutex<[RunEvent]>([])

    /// The number of sessions and tokens that were renewed.
    var renewals: Int {
        events.withLock { events in
            events.count { if case .sessionRenewed = $0.kind { true } else { false } }
        }
    }

    func receive(_ event: RunEvent) { events.withLock { $0.append(event) } }
}
