import Testing
import WaybillExecution
import WaybillResults
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct LimitTests {
    @Test func `a free permit goes to the waiting request with the highest priority`() async throws {
        let fixture = try ExecutionFixture(
            """
            defaults: {concurrency: 1}
            graphs:
              main:
                batch:
                  - {id: first, get: /first}
                  - {id: low, needs: [], get: /low, priority: low}
                  - {id: usual, get: /usual}
                  - {id: high, get: /high, priority: high}
            """,
            ["/first": .held, "/low": .held, "/usual": .held, "/high": .held]
        )
        let watch = RunWatch()
        async let running = fixture.run(watch: watch)
        await fixture.transport.waitForRequests(1)
        await watch.waitForQueued(3)
        for path in ["/first", "/low", "/usual", "/high"] { fixture.transport.release(path, .json("{}")) }
        #expect(await running.result.outcome == .passed)
        let priorities = ["/high": 2, "/first": 1, "/usual": 1, "/low": 0]
        let queued = fixture.transport.paths.dropFirst().compactMap { priorities[$0] }
        #expect(queued == queued.sorted(by: >))
    }

    /// The time of each request, as `path milliseconds`. The clock advances each time that this many have been sent.
    private func moments(
        _ manifest: String,
        _ replies: [String: ScriptedTransport.Reply] = [:],
        _ moves: [(count: Int, duration: Duration)]
    ) async throws -> [String] {
        let fixture = try ExecutionFixture(manifest, replies)
        let clock = ManualClock()
        fixture.transport.note { "\($0) \(Int(clock.now / .milliseconds(1)))" }
        let running = Task { await fixture.run(clock: clock) }
        for move in moves {
            await fixture.transport.waitForRequests(move.count)
            await clock.waitForSleepers()
            clock.advance(by: move.duration)
        }
        _ = await running.value
        return fixture.transport.notes
    }

    @Test func `requests of a service start at its rate, whatever else is sent`() async throws {
        let notes = try await moments(
            """
              t: {baseURL: 'http://t', rate: 2/s}
            graphs:
              main:
                batch:
                  - {forEach: {in: [1, 2, 3], as: n}, get: '/t${n}', service: t}
                  - {forEach: {in: [1, 2, 3], as: n}, get: '/s${n}', service: s}
            """,
            [:],
            [(4, .milliseconds(499)), (4, .milliseconds(1)), (5, .seconds(3))]
        )
        #expect(notes.filter { $0.hasPrefix("/s") }.sorted() == ["/s1 0", "/s2 0", "/s3 0"])
        #expect(notes.filter { $0.hasPrefix("/t") }.map { $0.split(separator: " ")[1] } == ["0", "500", "3500"])
    }

    @Test func `a rate in defaults applies to each service separately, and jointly to requests without a service`()
        async throws
    {
        let notes = try await moments(
            """
              t: {baseURL: 'http://t'}
            defaults: {rate: 60/m}
            graphs:
              main:
                batch:
                  - {forEach: {in: [1, 2], as: n}, get: '/t', service: t}
                  - {forEach: {in: [1, 2], as: n}, get: '/s', service: s}
                  - {get: 'http://u/u'}
                  - {get: 'http://v/u'}
            """,
            [:],
            [(3, .seconds(1))]
        )
        #expect(notes.sorted() == ["/s 0", "/s 1000", "/t 0", "/t 1000", "/u 0", "/u 1000"])
    }

    @Test func `a retry counts as a request`() async throws {
        let notes = try await moments(
            """
              t: {baseURL: 'http://t', rate: 1/s, retry: {times: 2, backoff: {first: 1ms, max: 1ms, jitter: false}}}
            graphs: {main: {chain: [{get: /a, service: t, onFailure: continue}, {get: /b, service: t}]}}
            """,
            ["/a": .json("{}", status: 503)],
            [(1, .milliseconds(1)), (1, .milliseconds(999)), (2, .seconds(1)), (3, .seconds(1))]
        )
        #expect(notes == ["/a 0", "/a 1000", "/a 2000", "/b 3000"])
    }

    @Test func `a request that waits for its rate can be cancelled`() async throws {
        let fixture = try ExecutionFixture(
            """
              t: {baseURL: 'http://t', rate: 1/h}
            graphs: {main: {chain: [{id: a, get: /a, service: t}, {id: b, get: /b, service: t}]}}
            """
        )
        let clock = ManualClock()
        let control = RunControl()
        async let running = fixture.run(control: control, clock: clock)
        await clock.waitForSleepers()
        control.cancel(step: "main.b")
        #expect(await running.summary == "a:passed b:skipped")
        #expect(clock.ends.isEmpty)
    }

    @Test func `a step whose deadline passes while it waits for its rate fails, and others continue`() async throws {
        let fixture = try ExecutionFixture(
            """
              t: {baseURL: 'http://t', rate: 1/h}
            graphs:
              main:
                chain:
                  - {id: a, get: /a, service: t}
                  - {id: b, get: /b, service: t, deadline: 5ms, onFailure: continue}
                  - {id: c, get: /c, service: s}
            """
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:passed b:tolerated c:passed")
        #expect(outcome.result.steps[1].failure?.message.string == "the deadline of 5ms has passed")
        #expect(outcome.result.outcome == .passed)
    }

    @Test(arguments: 0..<12)
    func `no plan ever has more requests in flight than its limits allow`(seed: Int) async throws {
        var random = SplitMix(state: UInt64(seed))
        let limit = 1 + random.next(below: 5)
        let connections = 1 + random.next(below: 3)
        var number = 0
        func step(_ depth: Int) -> String {
            number += 1
            let priority = ["low", "default", "high"][random.next(below: 3)]
            let service = ["s", "t"][random.next(below: 2)]
            switch random.next(below: depth > 2 ? 2 : 5) {
            case 0: return "{get: /\(service)\(number), service: \(service), priority: \(priority)}"
            case 1:
                let count = 1 + random.next(below: 12)
                let list = (0..<count).map(String.init).joined(separator: ", ")
                return "{forEach: {in: [\(list)], as: n}, get: '/\(service)\(number)-${n}', service: \(service)}"
            case 2: return "{chain: [\((0..<3).map { _ in step(depth + 1) }.joined(separator: ", "))]}"
            default: return "{batch: [\((0..<4).map { _ in step(depth + 1) }.joined(separator: ", "))]}"
            }
        }
        let steps = (0..<6).map { _ in step(0) }.joined(separator: ", ")
        let fixture = try ExecutionFixture(
            """
              t: {baseURL: 'http://t', rate: 100000/s, maxConnections: \(connections)}
            defaults: {concurrency: \(limit)}
            graphs: {main: {batch: [\(steps)]}}
            """
        )
        let outcome = await fixture.run()
        #expect(outcome.result.outcome == .passed)
        #expect(fixture.transport.mostUnderWay <= limit)
        #expect(fixture.transport.mostUnderWay(at: "http://t/") <= connections)
    }
}
