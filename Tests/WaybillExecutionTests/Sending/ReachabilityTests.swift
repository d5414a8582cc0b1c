import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct ReachabilityTests {
    private let listener = EventListener()
    private let clock = ManualClock()
    private let control = RunControl()

    private func run(_ fixture: ExecutionFixture) async -> Executor.Outcome {
        let events = EventStream(journal: nil, observers: [listener])
        return await fixture.run(events: events, control: control, clock: clock)
    }

    @Test func `one connection is tried for all waiting requests, and then they are sent`() async throws {
        let fixture = try ExecutionFixture(
            """
            defaults: {reachability: true}
            graphs: {main: {chain: [{batch: [{id: a, get: /a}, {id: b, get: /b}]}, {id: c, get: /c}]}}
            """
        )
        async let running = run(fixture)
        await fixture.transport.waitForProbes(1)
        #expect(fixture.transport.paths.isEmpty)
        fixture.transport.endProbe(nil)
        #expect(await running.summary == "a:passed b:passed c:passed")
        #expect(fixture.transport.probeCount == 1)
    }

    @Test func `nothing is sent while no connection can be established`() async throws {
        let fixture = try ExecutionFixture(
            """
            defaults: {reachability: true}
            graphs: {main: {chain: [{id: a, get: /a}, {id: b, get: /b}], onFailure: collect}}
            """
        )
        async let running = run(fixture)
        await fixture.transport.waitForProbes(1)
        fixture.transport.endProbe(.connect)
        let outcome = await running
        #expect(outcome.summary == "a:failed b:failed")
        #expect(outcome.result.steps.map { $0.failure?.kind } == [.unreachable, .unreachable])
        #expect(
            outcome.result.steps[1].failure?.message.string
                == "the request was not sent, because the server is unreachable: the transport failed: connect"
        )
        #expect(fixture.transport.paths.isEmpty)
        #expect(fixture.transport.probeCount == 1)
    }

    @Test func `a connection is tried again after some time`() async throws {
        let fixture = try ExecutionFixture(
            """
            defaults:
              reachability: true
              retry: {times: 1, for: [unreachable], backoff: {first: 1s, max: 1s, jitter: false}}
            graphs: {main: {chain: [{id: a, get: /a}]}}
            """
        )
        async let running = run(fixture)
        await fixture.transport.waitForProbes(1)
        fixture.transport.endProbe(.dns)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await fixture.transport.waitForProbes(2)
        fixture.transport.endProbe(nil)
        #expect(await running.summary == "a:passed")
    }

    @Test func `after a failed transfer, a connection is tried before the next request`() async throws {
        let fixture = try ExecutionFixture(
            """
            defaults: {reachability: true}
            graphs: {main: {chain: [{id: a, get: /a, onFailure: continue}, {id: b, get: /b}]}}
            """,
            ["/a": .failure(.transfer)]
        )
        async let running = run(fixture)
        await fixture.transport.waitForProbes(1)
        fixture.transport.endProbe(nil)
        await fixture.transport.waitForProbes(2)
        #expect(fixture.transport.paths == ["/a"])
        fixture.transport.endProbe(nil)
        #expect(await running.summary == "a:tolerated b:passed")
    }

    @Test func `a warning reports that a service can no longer be reached, and that it can be again`() async throws {
        let fixture = try ExecutionFixture(
            """
            defaults:
              reachability: true
              retry: {times: 1, for: [unreachable], backoff: {first: 1s, max: 1s, jitter: false}}
            graphs: {main: {chain: [{id: a, get: /a, onFailure: continue}, {id: b, get: /b}]}}
            """,
            ["/a": .failure(.transfer)]
        )
        async let running = run(fixture)
        await fixture.transport.waitForProbes(1)
        fixture.transport.endProbe(nil)
        await fixture.transport.waitForProbes(2)
        #expect(listener.warnings.isEmpty)
        fixture.transport.endProbe(.connect)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await fixture.transport.waitForProbes(3)
        fixture.transport.endProbe(nil)
        #expect(await running.summary == "a:tolerated b:passed")
        let changes = listener.warnings.map { $0.split(separator: " ").dropFirst(3).joined(separator: " ") }
        #expect(
            changes == [
                "http://s:80 can no longer be reached: the transport failed: connect",
                "http://s:80 can be reached again",
            ]
        )
    }

    @Test func `each service is probed separately`() async throws {
        let fixture = try ExecutionFixture(
            """
                reachability: true
              t: {baseURL: 'http://t'}
            graphs:
              main:
                batch: [{id: a, get: /a, service: s, onFailure: continue}, {id: b, get: /b, service: t}]
            """
        )
        async let running = run(fixture)
        await fixture.transport.waitForProbes(1)
        await listener.wait(for: "step.finished main.b")
        fixture.transport.endProbe(.timeout)
        #expect(await running.summary == "a:tolerated b:passed")
    }

    @Test func `a metered network is not used if the manifest forbids it`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /a, network: {metered: false}, onFailure: continue}, {id: b, get: /b}]
            """
        )
        fixture.transport.leave(by: NetworkInterface(named: "wwan0", describedIn: TemporaryFolder().path))
        let outcome = await run(fixture)
        #expect(outcome.summary == "a:tolerated b:passed")
        #expect(outcome.result.steps[0].failure?.kind == .unreachable)
        #expect(
            outcome.result.steps[0].failure?.message.string
                == "the request was not sent, because it would use a mobile network (interface 'wwan0')"
        )
        #expect(fixture.transport.paths == ["/b"])
    }

    @Test func `a network that is not metered is used`() async throws {
        let fixture = try ExecutionFixture("graphs: {main: {chain: [{id: a, get: /a, network: {metered: false}}]}}")
        fixture.transport.leave(by: NetworkInterface(named: "eth0", describedIn: TemporaryFolder().path))
        #expect(await run(fixture).summary == "a:passed")
    }
}
