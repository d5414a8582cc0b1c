import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct GroupTests {
    private static let bad = ScriptedTransport.Reply.json("{}", status: 500)

    /// Runs a group of three steps, of which the second fails.
    private func run(_ order: String, _ mode: String) async throws -> (String, RunOutcome, [String]) {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - onFailure: \(mode)
                    concurrency: 1
                    \(order):
                      - {id: a, get: /a}
                      - {id: b, get: /b}
                      - {id: c, get: /c}
                  - {id: z, get: /z}
            """.replacing(order == "chain" ? "concurrency: 1" : "no such text", with: "name: group"),
            ["/b": Self.bad]
        )
        let outcome = await fixture.run()
        return (outcome.summary, outcome.result.outcome, fixture.transport.paths)
    }

    @Test(arguments: [
        ("chain", "stop", "a:passed b:failed c:skipped z:skipped", RunOutcome.failed, ["/a", "/b"]),
        ("chain", "collect", "a:passed b:failed c:passed z:skipped", .failed, ["/a", "/b", "/c"]),
        ("chain", "continue", "a:passed b:tolerated c:passed z:passed", .passed, ["/a", "/b", "/c", "/z"]),
        ("batch", "stop", "a:passed b:failed c:skipped z:skipped", .failed, ["/a", "/b"]),
        ("batch", "collect", "a:passed b:failed c:passed z:skipped", .failed, ["/a", "/b", "/c"]),
        ("batch", "continue", "a:passed b:tolerated c:passed z:passed", .passed, ["/a", "/b", "/c", "/z"]),
    ])
    func `a failure stops the group, is collected, or is tolerated`(
        order: String,
        mode: String,
        steps: String,
        outcome: RunOutcome,
        paths: [String]
    ) async throws {
        let result = try await run(order, mode)
        #expect(result.0 == steps)
        #expect(result.1 == outcome)
        #expect(result.2 == paths)
    }

    @Test func `the steps of a batch run concurrently, and its results are in the order of the manifest`() async throws
    {
        let fixture = try ExecutionFixture(
            "graphs: {main: {batch: [{id: a, get: /a}, {id: b, get: /b}, {id: c, get: /c}]}}",
            ["/a": .held, "/b": .held, "/c": .held]
        )
        async let running = fixture.run()
        await fixture.transport.waitForRequests(3)
        fixture.transport.release("/c", .json("{}"))
        fixture.transport.release("/a", .json("{}"))
        fixture.transport.release("/b", .json("{}"))
        #expect(await running.summary == "a:passed b:passed c:passed")
    }

    @Test func `the first failure of a batch cancels its running steps`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {batch: [{id: a, get: /a}, {id: b, get: /b}]}}",
            ["/a": .held, "/b": .held]
        )
        async let running = fixture.run()
        await fixture.transport.waitForRequests(2)
        fixture.transport.release("/b", Self.bad)
        let outcome = await running
        #expect(outcome.summary == "a:cancelled b:failed")
        #expect(outcome.result.outcome == .failed)
    }

    @Test(arguments: [1, 2, 5])
    func `the requests in flight never exceed the limit of the run`(limit: Int) async throws {
        let steps = (0..<20).map { "{get: /\($0)}" }.joined(separator: ", ")
        let fixture = try ExecutionFixture(
            "defaults: {concurrency: \(limit)}\ngraphs: {main: {batch: [\(steps)]}}"
        )
        let outcome = await fixture.run()
        #expect(outcome.result.counts[.passed] == 20)
        #expect(fixture.transport.mostUnderWay <= limit)
    }

    @Test func `a cancelled run is interrupted, no more steps start, and every step has an outcome`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a}, {batch: [{id: b, get: /b}, {id: c, get: /c}]}]}}",
            ["/a": .held]
        )
        let running = Task { await fixture.run() }
        await fixture.transport.waitForRequests(1)
        running.cancel()
        let outcome = await running.value
        #expect(outcome.summary == "a:cancelled b:skipped c:skipped")
        #expect(outcome.result.outcome == .interrupted)
        #expect(fixture.transport.paths == ["/a"])
    }

    @Test func `later steps can read whether a tolerated step passed, and why it failed`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: /a, onFailure: continue, outputs: {x: $.x}}
                  - get: /b
                    query:
                      ok: ${steps.a.ok}
                      kind: ${steps.a.error.kind}
                      code: ${steps.a.error.code}
                      x: ${default(steps.a.outputs.x, 'none')}
            """,
            ["/a": .json(#"{"x": 1}"#, status: 503)]
        )
        #expect(await fixture.run().result.outcome == .passed)
        #expect(fixture.transport.sent.last?.url == "http://s/b?ok=false&kind=status&code=503&x=none")
    }
}
