import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct ControlTests {
    private let control = RunControl()
    private let clock = ManualClock()
    private let listener = EventListener()

    private func run(_ fixture: ExecutionFixture) async -> Executor.Outcome {
        let events = EventStream(journal: nil, observers: [listener])
        return await fixture.run(events: events, control: control, clock: clock)
    }

    /// Waits until this many steps are held by a pause.
    private func waitForHeld(_ count: Int) async {
        await until { control.heldCount == count }
    }

    // MARK: Pausing

    @Test func `while a run is paused, no steps start and running ones wait`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a}, {id: b, get: /b}]}}",
            ["/a": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.pause()
        #expect(fixture.transport.isPaused("/a"))
        fixture.transport.release("/a", .json("{}"))
        await listener.wait(for: "step.finished main.a")
        await waitForHeld(1)
        #expect(fixture.transport.paths == ["/a"])
        control.unpause()
        #expect(await running.summary == "a:passed b:passed")
        let lines = listener.lines.filter { $0.hasPrefix("run.") }
        #expect(lines == ["run.started", "run.paused", "run.unpaused", "run.finished"])
    }

    @Test func `a paused step does not stop the others`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {batch: [{id: a, get: /a}, {id: b, chain: [{id: c, get: /c}, {id: d, get: /d}]}]}}",
            ["/c": .held]
        )
        control.pause(step: "main.a")
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.pause(step: "main.b")
        #expect(fixture.transport.isPaused("/c"))
        control.unpause(step: "main.b")
        #expect(!fixture.transport.isPaused("/c"))
        fixture.transport.release("/c", .json("{}"))
        await listener.wait(for: "step.finished main.b.d")
        #expect(fixture.transport.paths == ["/c", "/d"])
        control.unpause(step: "main.a")
        #expect(await running.summary == "a:passed c:passed d:passed")
        #expect(listener.lines.contains("run.paused main.b"))
        #expect(listener.lines.contains("run.unpaused main.a"))
    }

    @Test func `a delay continues while a run is paused, but its step does not start afterwards`() async throws {
        let fixture = try ExecutionFixture("graphs: {main: {chain: [{id: a, delay: 5s, get: /a}]}}")
        async let running = run(fixture)
        await clock.waitForSleepers()
        control.pause()
        clock.advance(by: .seconds(5))
        await waitForHeld(1)
        #expect(fixture.transport.paths.isEmpty)
        control.unpause()
        #expect(await running.summary == "a:passed")
    }

    @Test func `a deadline also passes while a run is paused`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, deadline: 5s, get: /a}]}}",
            ["/a": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.pause()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        let outcome = await running
        #expect(outcome.summary == "a:failed")
        #expect(outcome.result.steps[0].failure?.kind == .timeout)
    }

    @Test func `the times of a run and of a step with many requests exclude pauses`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, forEach: {in: [1, 2], as: n}, get: \"/${n}\"}, {id: b, delay: 1m, get: /b}]}}",
            ["/1": .held, "/2": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(2)
        clock.advance(by: .seconds(2))
        control.pause()
        clock.advance(by: .seconds(60))
        control.unpause()
        clock.advance(by: .seconds(1))
        for path in ["/1", "/2"] { fixture.transport.release(path, .json("{}")) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        let result = await running.result
        #expect(result.steps.first?.time?.total == .seconds(3))
        #expect(result.time == .seconds(63))
    }

    @Test func `the times of a response exclude pauses of its transfer`() async throws {
        let (times, limit) = try await withGrowingTime(from: .milliseconds(500)) { pause in
            try await self.times(withPause: pause)
        } until: { measured in
            measured.times.allSatisfy { $0 < measured.limit }
        }
        #expect(times.count == 2)
        for time in times { #expect(time < limit) }
    }

    /// The times of a step whose transfer is paused and of its response, and the limit that they must be less than.
    private func times(withPause pause: Duration) async throws -> (times: [Duration], limit: Duration) {
        let held = try HeldResponses()
        defer { held.stop() }
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /a, outputs: {time: response.time}}]
                outputs: {time: steps.a.outputs.time}

            """,
            at: held.url
        )
        let transport = try CurlTransport()
        let start = ContinuousClock.now
        async let running = fixture.run(over: transport, control: control)
        await held.waitForRequests(1)
        control.pause()
        let pauseStart = ContinuousClock.now
        // The subject of the test: this much real time passes.
        try await Task.sleep(for: pause)
        let paused = ContinuousClock.now - pauseStart
        held.release()
        control.unpause()
        let outcome = await running
        let unpaused = ContinuousClock.now - start - paused
        await transport.shutDown()
        #expect(outcome.summary == "a:passed", "\(outcome.result.steps)")
        let time = try #require(outcome.result.steps.first?.time?.total)
        let milliseconds = try #require(outcome.outputs.first?.values.value["time"]?.number?.double)
        // The transfer is paused slightly later than the run.
        return ([time, .milliseconds(milliseconds)], unpaused + pause / 5)
    }

    // MARK: Cancelling

    @Test(arguments: [
        ("main.b", "a:passed b:cancelled c:passed d:passed"),
        ("main.d", "a:passed b:passed c:passed d:skipped"),
        ("main.g", "a:passed b:passed c:cancelled d:passed"),
        ("main.g.c", "a:passed b:passed c:cancelled d:passed"),
        ("main", "a:passed b:cancelled c:skipped d:skipped"),
        ("main.g.c.x", "a:passed b:passed c:passed d:passed"),
        ("main.no", "a:passed b:passed c:passed d:passed"),
        ("mai", "a:passed b:passed c:passed d:passed"),
    ])
    func `cancelling a step affects only the steps inside it`(path: String, summary: String)
        async throws
    {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /a}, {id: b, get: /b}, {id: g, batch: [{id: c, get: /c}]}, {id: d, get: /d}]
            """,
            ["/b": .held, "/c": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(2)
        if path != "main.b", path != "main" { fixture.transport.release("/b", .json("{}")) }
        if path.hasPrefix("main.g") { await fixture.transport.waitForRequests(3) }
        control.cancel(step: path)
        fixture.transport.release("/c", .json("{}"))
        let outcome = await running
        #expect(outcome.summary == summary)
        #expect(outcome.result.outcome == .passed)
    }

    @Test func `cancelling an endpoint cancels all of its running steps`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints: {e: {path: /e}, f: {path: /f}}
            graphs:
              main:
                batch: [{id: a, call: e}, {id: b, chain: [{id: c, call: f}]}]
            """,
            ["/e": .held, "/f": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(2)
        control.cancel(endpoint: "f")
        await listener.wait(for: "step.finished main.b.c")
        fixture.transport.release("/e", .json("{}"))
        let outcome = await running
        #expect(outcome.summary == "a:passed c:cancelled")
        #expect(outcome.result.outcome == .passed)
    }

    @Test func `one element of a forEach can be cancelled`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, forEach: {in: [0, 1, 2], as: n}, get: '/${n}'}]}}",
            ["/1": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(3)
        control.cancel(step: "main.a[1]")
        let outcome = await running
        let step = try #require(outcome.result.steps.first)
        #expect(step.outcome == .passed)
        #expect(outcome.result.outcome == .passed)
        #expect(step.elements?.counts[.passed] == 2)
        #expect(step.elements?.counts[.cancelled] == 1)
    }

    @Test func `a forEach is cancelled with all of its elements, and the run continues`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, forEach: {in: [0, 1, 2], as: n, concurrency: 2}, get: '/${n}'}, {id: b, get: /b}]
            """,
            ["/0": .held, "/1": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(2)
        control.cancel(step: "main.a")
        let outcome = await running
        #expect(outcome.summary == "a:cancelled b:passed")
        #expect(outcome.result.steps[0].elements?.counts[.cancelled] == 2)
        #expect(outcome.result.steps[0].elements?.counts[.skipped] == 1)
        #expect(outcome.result.outcome == .passed)
    }

    @Test func `a step that waits can be cancelled`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, delay: 1h, get: /a}]}}"
        )
        async let running = run(fixture)
        await clock.waitForSleepers()
        control.cancel(step: "main.a")
        #expect(await running.summary == "a:skipped")
        #expect(clock.ends.isEmpty)
    }

    // MARK: Stopping

    private static let stopped = """
        graphs:
          main:
            chain: [{id: a, get: /a}, {id: b, get: /b}]
            finally: [{id: f, get: /f}]
        """

    @Test func `a stopped run gives running steps ten seconds`() async throws {
        let fixture = try ExecutionFixture(Self.stopped, ["/a": .held])
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.stop()
        await clock.waitForSleepers()
        #expect(clock.ends == [.seconds(10)])
        clock.advance(by: .seconds(10))
        let outcome = await running
        #expect(outcome.summary == "a:cancelled b:skipped f:passed")
        #expect(outcome.result.outcome == .interrupted)
    }

    @Test func `a step that finishes within the ten seconds after a stop passes`() async throws {
        let fixture = try ExecutionFixture(Self.stopped, ["/a": .held])
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.stop()
        fixture.transport.release("/a", .json("{}"))
        let outcome = await running
        #expect(outcome.summary == "a:passed b:skipped f:passed")
        #expect(outcome.result.outcome == .interrupted)
    }

    @Test func `steps that no longer start after a stop do not affect running steps`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {batch: [{id: a, get: /a}, {id: b, delay: 1h, get: /b}, {id: c, needs: [a], get: /c}]}}",
            ["/a": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        await clock.waitForSleepers()
        control.stop()
        await listener.wait(for: "step.skipped main.b")
        fixture.transport.release("/a", .json("{}"))
        #expect(await running.summary == "a:passed b:skipped c:skipped")
    }

    @Test func `a step that stops between two polls lets concurrent steps finish`() async throws {
        let until = "until: {that: $.done == true, every: 1h}"
        let fixture = try ExecutionFixture(
            "graphs: {main: {batch: [{id: a, get: /a}, {id: b, get: /b, \(until)}]}}",
            ["/a": .held, "/b": .json(#"{"done": false}"#)]
        )
        async let running = run(fixture)
        await listener.wait(for: "poll.finished main.b")
        await clock.waitForSleepers()
        control.stop()
        await listener.wait(for: "step.finished main.b")
        fixture.transport.release("/a", .json("{}"))
        #expect(await running.summary == "a:passed b:cancelled")
    }

    @Test func `a run can be cancelled without waiting`() async throws {
        let fixture = try ExecutionFixture(Self.stopped, ["/a": .held])
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.cancel()
        #expect(await running.summary == "a:cancelled b:skipped f:passed")
    }

    @Test func `only cancelAll cancels the steps of finally`() async throws {
        let fixture = try ExecutionFixture(Self.stopped, ["/f": .held])
        async let running = run(fixture)
        await fixture.transport.waitForRequests(3)
        await until { fixture.transport.isHeld("/f") }
        control.cancel()
        #expect(fixture.transport.isHeld("/f"))
        control.cancelAll()
        #expect(await running.summary == "a:passed b:passed f:cancelled")
    }

    @Test(arguments: [
        "{id: a, delay: 1h, get: /a}",
        "{id: a, get: /a, until: {that: $.done, every: 1h}}",
        "{id: a, get: /a, retry: {times: 1, backoff: {first: 1h, max: 1h}, for: [5xx]}}",
        "{id: a, chain: [{get: /a}], until: {that: 1 == 2, every: 1h}}",
    ])
    func `a wait ends when the run is stopped`(step: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [\(step), {id: b, get: /b}]}}",
            ["/a": .json(#"{"done": false}"#, status: step.contains("retry") ? 503 : 200)]
        )
        async let running = run(fixture)
        await clock.waitForSleepers()
        control.stop()
        let outcome = await running
        #expect(outcome.result.outcome == .interrupted)
        #expect(!fixture.transport.paths.contains("/b"))
    }

    @Test func `stopping a paused run resumes its running steps`() async throws {
        let fixture = try ExecutionFixture(Self.stopped, ["/a": .held])
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.pause()
        control.stop()
        #expect(!fixture.transport.isPaused("/a"))
        control.pause()
        #expect(!fixture.transport.isPaused("/a"))
        fixture.transport.release("/a", .json("{}"))
        #expect(await running.summary == "a:passed b:skipped f:passed")
    }

    @Test func `a step that waits for a permit does not start after a stop`() async throws {
        let fixture = try ExecutionFixture(
            "defaults: {concurrency: 1}\ngraphs: {main: {batch: [{id: a, get: /a}, {id: b, get: /b}]}}",
            ["/a": .held, "/b": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.stop()
        let first = fixture.transport.paths[0]
        fixture.transport.release(first, .json("{}"))
        let outcome = await running
        #expect(fixture.transport.paths == [first])
        #expect(outcome.result.counts[.skipped] == 1)
    }

    @Test func `a run that was stopped before it started runs only finally`() async throws {
        let fixture = try ExecutionFixture(Self.stopped)
        control.stop()
        #expect(await run(fixture).summary == "a:skipped b:skipped f:passed")
    }
}
