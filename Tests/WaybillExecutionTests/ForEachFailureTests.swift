import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillFormats
import WaybillResults
import WaybillTestSupport

/// How a failed element affects the steps inside it and the run.
@Suite(.timeLimit(.minutes(5))) struct ForEachFailureTests {
    private func run(
        _ text: String,
        _ replies: [String: ScriptedTransport.Reply] = [:]
    ) async throws -> (outcome: Executor.Outcome, fixture: ExecutionFixture, listener: EventListener) {
        let fixture = try ExecutionFixture(text, replies)
        let listener = EventListener()
        let outcome = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        return (outcome, fixture, listener)
    }

    @Test func `a repeated chain stops at its first failure, and its element counts as tolerated`() async throws {
        let (outcome, fixture, _) = try await run(
            """
            graphs:
              main:
                chain:
                  - id: loop
                    forEach: {in: [0, 1, 2], as: n, concurrency: 1}
                    onFailure: continue
                    chain:
                      - {id: create, get: "/${n}"}
                      - {id: use, get: "/use/${steps.create.data.id}"}
                  - {id: after, get: /after}
            """,
            ["/0": .json(#"{"id": 7}"#), "/1": .json("{}", status: 500), "/2": .json(#"{"id": 9}"#)]
        )
        #expect(fixture.transport.paths == ["/0", "/use/7", "/1", "/2", "/use/9", "/after"])
        let loop = outcome.result.steps[0]
        #expect(loop.outcome == .tolerated)
        #expect(loop.elements?.counts[.passed] == 2)
        #expect(loop.elements?.counts[.tolerated] == 1)
        #expect(outcome.result.outcome == .passed)
    }

    @Test(arguments: ["collect", "continue"])
    func `a group inside a repeated group has its own failure policy`(policy: String) async throws {
        let (outcome, fixture, _) = try await run(
            """
            graphs:
              main:
                chain:
                  - id: loop
                    forEach: {in: [0], as: n}
                    onFailure: continue
                    chain:
                      - {onFailure: \(policy), chain: [{get: /bad}, {get: /rest}]}
                      - {get: /last}
            """,
            ["/bad": .json("{}", status: 500)]
        )
        #expect(fixture.transport.paths == ["/bad", "/rest"] + (policy == "continue" ? ["/last"] : []))
        #expect(outcome.result.steps[0].elements?.counts[policy == "continue" ? .passed : .tolerated] == 1)
    }

    @Test func `the first hundred failures are reported with element, URL and reason`() async throws {
        let replies = (0..<200).map { ("/\($0)", ScriptedTransport.Reply.json("{}", status: 500)) }
        let (outcome, _, _) = try await run(
            """
            graphs:
              main:
                chain:
                  - {id: loop, forEach: {in: "range(0, 200)", as: n}, onFailure: continue, get: "/${n}"}
                  - {id: groups, forEach: {in: [7], as: n}, onFailure: continue, chain: [{get: "/ok"}, {get: "/${n}"}]}
            """,
            Dictionary(uniqueKeysWithValues: replies)
        )
        let elements = try #require(outcome.result.steps[0].elements)
        #expect(elements.counts[.tolerated] == 200)
        #expect(elements.failures.map(\.index) == Array(0..<100))
        #expect(elements.failures[99].subject.url?.string == "http://s/99")
        #expect(elements.failures[99].failure.message.string == "the status is 500, not 2xx")
        // For a group, the URL is that of the request that failed.
        #expect(outcome.result.steps[1].elements?.failures.first?.subject.url?.string == "http://s/7")
    }

    @Test func `the failure of the step is that of the first element in the list, whichever failed first`() async throws
    {
        let (outcome, _, listener) = try await run(
            """
            graphs:
              main:
                chain:
                  - id: loop
                    forEach: {in: [slow, fast], as: n, concurrency: 2}
                    onFailure: collect
                    get: "/${n}"
            """,
            ["/slow": .late(.json("{}", status: 500), turns: 2_000), "/fast": .json("{}", status: 404)]
        )
        let ends = listener.kinds.compactMap { kind -> Int? in
            if case .elementFinished(let end) = kind { end.index } else { nil }
        }
        #expect(ends == [1, 0])
        let loop = outcome.result.steps[0]
        #expect(loop.failure?.message.string == "the status is 500, not 2xx")
        #expect(loop.failure == loop.elements?.failures.first?.failure)
    }

    @Test func `failures in a graph run by a step with onFailure continue are tolerated too`() async throws {
        let (outcome, _, listener) = try await run(
            """
            graphs:
              sub: {chain: [{id: x, get: /bad}]}
              gives: {chain: [{id: y, get: /ok}], outputs: {z: steps.y.data.z}}
              main:
                chain:
                  - {id: a, graph: sub, onFailure: continue}
                  - {id: b, graph: gives, onFailure: continue}
                  - {id: after, get: /after}
            """,
            ["/bad": .json("{}", status: 500)]
        )
        #expect(outcome.summary == "x:tolerated y:passed outputs:tolerated after:passed")
        #expect(outcome.result.outcome == .passed)
        let graphs = listener.kinds.compactMap { kind -> String? in
            guard case .graphFinished(let graph, let outcome) = kind else { return nil }
            return "\(graph):\(outcome.rawValue)"
        }
        #expect(graphs == ["sub:tolerated", "gives:tolerated", "main:passed"])
    }

    @Test func `an element's end has the time when its request was due`() async throws {
        let before = Timestamp.now()
        let (_, _, listener) = try await run(
            "graphs: {main: {chain: [{id: a, forEach: {in: [1], as: n}, get: /bad}]}}",
            ["/bad": .json("{}", status: 500)]
        )
        let event = try #require(listener.all.first { $0.kind.type == "element.finished" })
        guard case .elementFinished(let end) = event.kind, let startedAt = end.startedAt else {
            Issue.record("the element has no start")
            return
        }
        #expect(before <= startedAt && startedAt <= event.at)
    }

    @Test func `a failure in finally counts even in a graph that continues after failures`() async throws {
        let (outcome, _, _) = try await run(
            """
            graphs:
              main:
                chain: [{id: a, get: /bad}]
                onFailure: continue
                finally: [{id: f, get: /bad}]
            """,
            ["/bad": .json("{}", status: 500)]
        )
        #expect(outcome.summary == "a:tolerated f:failed")
        #expect(outcome.result.outcome == .failed)
    }

    // MARK: Failures of a graph itself

    @Test func `a graph output that fails is reported as an event with its reason`() async throws {
        let (outcome, _, listener) = try await run(
            "graphs: {main: {chain: [{id: a, get: /a}], outputs: {x: steps.a.data.x}}}"
        )
        #expect(outcome.result.outcome == .failed)
        let failures = listener.kinds.compactMap { kind -> String? in
            guard case .stepFinished(let result, _) = kind else { return nil }
            return result.failure.map { "\(result.path): \($0.message.string)" }
        }
        #expect(failures == ["main.outputs: output 'x': nothing matches steps.a.data.x"])
    }

    @Test(arguments: [
        "chain: [{id: q, onFailure: continue, chain: [{get: /slow}]}]", "batch: [{onFailure: continue, get: /slow}]",
    ])
    func `a deadline that passes during a last step whose failure is tolerated fails the group`(
        steps: String
    ) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: c, deadline: 5s, \(steps)}, {id: later, post: /later}]}}",
            ["/slow": .held]
        )
        let clock = ManualClock()
        async let running = fixture.run(clock: clock)
        await fixture.transport.waitForRequests(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let result = await running.result
        #expect(result.outcome == .failed)
        #expect(result.steps.first?.path == "main.c" && result.steps.first?.outcome == .failed)
        #expect(fixture.transport.paths == ["/slow"])
    }

    @Test(arguments: [
        ("graph", "{deadline: 5s, chain: [{id: a, delay: 1h, get: /a}]}", "main.deadline"),
        ("step", "{chain: [{id: g, deadline: 5s, chain: [{id: a, delay: 1h, get: /a}]}]}", "main.g"),
    ])
    func `a deadline that passes while no request is in flight is reported`(
        of: String,
        graph: String,
        path: String
    ) async throws {
        let fixture = try ExecutionFixture("graphs: {main: \(graph)}")
        let clock = ManualClock()
        async let running = fixture.run(clock: clock)
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        let result = await running.result
        #expect(result.outcome == .failed)
        let failed = result.steps.filter { $0.outcome == .failed }
        #expect(failed.map(\.path) == [path])
        #expect(failed.first?.failure?.kind == .timeout)
    }
}
