import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTransport

@Suite(.timeLimit(.minutes(5)), .ownThread) struct DuplicateTests {
    private let listener = EventListener()
    private let control = RunControl()

    private let watch = RunWatch()

    private func run(_ fixture: ExecutionFixture) async -> Executor.Outcome {
        await fixture.run(events: EventStream(journal: nil, observers: [listener]), control: control, watch: watch)
    }

    /// Two calls of an endpoint. The second starts while the first is in flight, once another request has finished.
    private func fixture(_ settings: String, second: String = "y", whole: String = "collect") throws -> ExecutionFixture
    {
        try ExecutionFixture(
            """
            endpoints: {e: {path: '/e/${inputs.q}', inputs: {q: string}, \(settings)}}
            graphs:
              main:
                batch:
                  - {id: first, call: e, with: {q: x}, onFailure: continue}
                  - onFailure: \(whole)
                    chain:
                      - {id: gate, get: /gate}
                      - {id: second, call: e, with: {q: \(second)}, onFailure: continue}
            """,
            ["/e/x": .held, "/gate": .held]
        )
    }

    /// Runs two calls of which the second starts while the first is in flight, and responds to the first after a wait.
    private func run(
        _ fixture: ExecutionFixture,
        replying reply: ScriptedTransport.Reply = .json("{}"),
        after wait: () async -> Void
    ) async -> Executor.Outcome {
        async let running = run(fixture)
        await fixture.transport.waitForRequests(2)
        fixture.transport.release("/gate", .json("{}"))
        await wait()
        fixture.transport.release("/e/x", reply)
        return await running
    }

    @Test func `duplicates run if they are allowed`() async throws {
        let fixture = try fixture("duplicates: allow")
        let outcome = await run(fixture) { await fixture.transport.waitForRequests(3) }
        #expect(outcome.summary == "first:passed gate:passed second:passed")
    }

    @Test func `with discard, the new request is dropped and not sent`() async throws {
        let fixture = try fixture("duplicates: discard")
        let outcome = await run(fixture) { await listener.wait(for: "step.finished main.2.second") }
        #expect(outcome.summary == "first:passed gate:passed second:skipped")
        let failure = try #require(outcome.result.steps[3].failure)
        #expect(failure.kind == .duplicate)
        #expect(failure.message.string == "'e' is already in flight, so this request was not sent")
        #expect(outcome.result.steps[3].attempts == 0)
        #expect(!fixture.transport.paths.contains("/e/y"))
    }

    @Test func `with cancel-previous, the earlier request is cancelled even if its parameters differ`() async throws {
        let fixture = try fixture("duplicates: cancel-previous")
        async let running = run(fixture)
        await fixture.transport.waitForRequests(2)
        fixture.transport.release("/gate", .json("{}"))
        let outcome = await running
        #expect(outcome.summary == "first:cancelled gate:passed second:passed")
        let failure = try #require(outcome.result.steps[0].failure)
        #expect(failure.kind == .duplicate)
        #expect(failure.message.string == "the request was cancelled, because 'e' was sent again")
        #expect(outcome.result.outcome == .passed)
        // The new request was sent after the earlier one had finished.
        let ends = listener.lines.filter { ["step.finished main.first", "step.finished main.2.second"].contains($0) }
        #expect(ends == ["step.finished main.first", "step.finished main.2.second"])
    }

    /// The second call starts while both calls need a session, which has been requested. The first one that waits decides which
    /// of them are sent.
    @Test(
        arguments: [
            ("cancel-previous", "", "call: e, with: {q: x}", "first:cancelled gate:passed second:passed"),
            ("discard", "", "call: e, with: {q: x}", "first:passed gate:passed second:skipped"),
            ("discard", "inputs.q", "call: e, with: {q: x}", "first:passed gate:passed second:passed"),
            (
                "discard", "", "get: /e/1, headers: {X: \"${session.token}\"}, duplicates: discard",
                "first:passed gate:passed second:skipped"
            ),
        ]
    )
    func `requests that wait for a session are in flight`(mode: String, key: String, step: String, summary: String)
        async throws
    {
        let logins = Mutex(0)
        let fixture = try ExecutionFixture(
            """
                session: {call: login}
            endpoints:
              login: {method: POST, path: /login, outputs: {token: {value: $.token, secret: true}}}
              e:
                path: '/e/${inputs.q}'
                inputs: {q: string}
                headers: {X: "${session.token}"}
                duplicates: {mode: \(mode)\(key.isEmpty ? "" : ", key: \(key)")}
            graphs:
              main:
                batch:
                  - {id: first, \(step), onFailure: continue}
                  - chain:
                      - {id: gate, get: /gate}
                      - {id: second, \(step.replacing("{q: x}", with: "{q: y}")), onFailure: continue}
            """,
            ["/gate": .held],
            answering: { request in
                guard request.url.hasSuffix("/login") else { return nil }
                let isFirst = logins.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .held : .json("{\"token\": \"abcdefgh\"}")
            }
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(2)
        fixture.transport.release("/gate", .json("{}"))
        switch (mode, key) {
        case ("discard", ""): await listener.wait(for: "step.finished main.2.second")
        case ("discard", _): await listener.wait(for: "step.started main.2.second")
        // The session that nothing waits for any more is requested again.
        default: await fixture.transport.waitForRequests(3)
        }
        fixture.transport.release("/login", .json("{\"token\": \"abcdefgh\"}"))
        #expect(await running.summary == summary)
        let sent = fixture.transport.paths.filter { $0.hasPrefix("/e/") }
        #expect(sent.count == (key.isEmpty ? 1 : 2))
    }

    @Test(arguments: [
        ("cancel-previous", "first:cancelled gate:passed second:passed after:passed"),
        ("discard", "first:passed gate:passed second:skipped after:passed"),
    ])
    func `a duplicate neither stops nor fails its group`(mode: String, summary: String) async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints: {e: {path: '/e/${inputs.q}', inputs: {q: string}, duplicates: \(mode)}}
            graphs:
              main:
                chain:
                  - batch:
                      - {id: first, call: e, with: {q: x}}
                      - {chain: [{id: gate, get: /gate}, {id: second, call: e, with: {q: y}}]}
                  - {id: after, get: "/after/${steps.first.ok}/${default(steps.second.error.kind, 'none')}"}
            """,
            ["/e/x": .held, "/gate": .held]
        )
        let outcome = await run(fixture) { await listener.wait(for: "step.finished main.1.2.second") }
        #expect(outcome.summary == summary)
        #expect(outcome.result.outcome == .passed)
        #expect(fixture.transport.paths.last == (mode == "discard" ? "/after/true/duplicate" : "/after/false/none"))
    }

    @Test func `superseded elements are cancelled, and their forEach passes`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints: {e: {path: '/${inputs.n}', inputs: {n: integer}, duplicates: cancel-previous}}
            graphs: {main: {chain: [{id: a, forEach: {in: [0, 1, 2], as: n}, call: e, with: {n: "${n}"}}]}}
            """,
            // Not held: any of them may be the last one, which nothing cancels.
            Dictionary(uniqueKeysWithValues: (0..<3).map { ("/\($0)", .late(.json("{}"), turns: 50)) })
        )
        let outcome = await run(fixture)
        #expect(outcome.summary == "a:passed")
        let elements = try #require(outcome.result.steps[0].elements)
        #expect(elements.counts[.passed] + elements.counts[.cancelled] == 3)
        #expect(elements.failures.isEmpty)
    }

    @Test func `a duplicate has the manifest's message, and interceptors do not apply to it`() async throws {
        let fixture = try fixture(
            "duplicates: discard, messages: {duplicate: Too often}, intercept: {beforeFailure: [{recover: {n: 1}}]}"
        )
        let outcome = await run(fixture) { await listener.wait(for: "step.finished main.2.second") }
        #expect(outcome.summary == "first:passed gate:passed second:skipped")
        #expect(outcome.result.steps[3].failure?.message.string == "Too often")
    }

    @Test func `a key determines which requests are duplicates`() async throws {
        let fixture = try fixture("duplicates: {mode: cancel-previous, key: inputs.q}")
        let outcome = await run(fixture) { await listener.wait(for: "step.finished main.2.second") }
        #expect(outcome.summary == "first:passed gate:passed second:passed")
    }

    @Test func `a key that cannot be computed is a failure`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints: {e: {path: /e, inputs: {q: object}, duplicates: {mode: discard, key: inputs.q.x}}}
            graphs: {main: {chain: [{id: a, call: e, with: {q: {y: 1}}}]}}
            """
        )
        let outcome = await run(fixture)
        #expect(outcome.result.steps[0].failure?.kind == .input)
        #expect(fixture.transport.paths.isEmpty)
    }

    @Test func `a retried request is not its own duplicate, and counts as in flight while it waits`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints:
              e: {path: /e, duplicates: discard, retry: {times: 1, backoff: {first: 1s, max: 1s, jitter: false}}}
            graphs:
              main:
                batch:
                  - {id: a, call: e, onFailure: continue}
                  - {id: b, delay: 500ms, call: e, onFailure: continue}
            """,
            ["/e": .json("{}", status: 503)]
        )
        let clock = ManualClock()
        async let running = fixture.run(events: EventStream(journal: nil, observers: [listener]), clock: clock)
        await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(500))
        await listener.wait(for: "step.finished main.b")
        clock.advance(by: .milliseconds(500))
        let outcome = await running
        #expect(outcome.result.steps.map { $0.failure?.kind } == [.status, .duplicate])
        #expect(fixture.transport.paths == ["/e", "/e"])
    }

    @Test func `with share, the same request is sent once, and all steps receive the response`() async throws {
        let fixture = try fixture("duplicates: share, outputs: {n: $.n}", second: "x")
        let outcome = await run(fixture, replying: .json(#"{"n": 1}"#)) { await watch.waitForShared(2) }
        #expect(outcome.summary == "first:passed gate:passed second:passed")
        #expect(fixture.transport.paths.filter { $0 == "/e/x" }.count == 1)
    }

    @Test(arguments: [
        ("redirects: 1", "redirects: 2"), ("redirects: false", "redirects: 3"),
        (sigV4(secretKey: "a"), sigV4(secretKey: "b")),
    ])
    func `with share, requests that differ in how they are sent receive their own responses`(
        first: String,
        second: String
    ) async throws {
        let count = Mutex(0)
        let fixture = try ExecutionFixture(
            """
            endpoints: {e: {path: /e, duplicates: share}}
            graphs: {main: {batch: [{id: a, call: e, \(first)}, {id: b, call: e, \(second)}]}}
            """,
            answering: { _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .held : .json("{}")
            }
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(2)
        fixture.transport.release("/e", .json("{}"))
        #expect(await running.summary == "a:passed b:passed")
    }

    private static func sigV4(secretKey: String) -> String {
        "auth: {awsSigV4: {region: r, service: s, accessKey: k, secretKey: \(secretKey)}}"
    }

    @Test func `with share, a different request receives its own response`() async throws {
        let fixture = try fixture("duplicates: share")
        let outcome = await run(fixture) { await fixture.transport.waitForRequests(3) }
        #expect(outcome.summary == "first:passed gate:passed second:passed")
    }

    @Test func `each step checks a shared response against its own expectations`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints: {e: {path: /e, duplicates: share}}
            graphs:
              main:
                batch:
                  - {id: a, call: e, onFailure: continue, expect: {body: [$.n == 1]}}
                  - {id: b, call: e, onFailure: continue, expect: {body: [$.n == 2]}}
            """,
            ["/e": .held]
        )
        async let running = run(fixture)
        await watch.waitForShared(2)
        fixture.transport.release("/e", .json(#"{"n": 1}"#))
        #expect(await running.summary == "a:passed b:tolerated")
        #expect(fixture.transport.paths == ["/e"])
    }

    @Test func `a shared transfer continues when the element that started it is cancelled`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints: {e: {path: /e, duplicates: share}}
            graphs:
              main:
                batch:
                  - {id: a, chain: [{id: c, forEach: {in: [0, 1], as: n}, call: e}]}
            """,
            ["/e": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        await watch.waitForShared(2)
        control.cancel(step: "main.a.c[0]")
        await listener.wait(for: "element.finished main.a.c")
        fixture.transport.release("/e", .json("{}"))
        let step = try #require(await running.result.steps.last)
        #expect(step.elements?.counts[.cancelled] == 1)
        #expect(step.elements?.counts[.passed] == 1)
        #expect(fixture.transport.paths == ["/e"])
    }

    @Test func `a shared transfer ends when no step waits for it any longer`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints: {e: {path: /e, duplicates: share}}
            graphs: {main: {batch: [{id: a, call: e}, {id: b, call: e}]}}
            """,
            ["/e": .held]
        )
        async let running = run(fixture)
        await fixture.transport.waitForRequests(1)
        control.cancel()
        let outcome = await running
        #expect(outcome.result.counts[.cancelled] + outcome.result.counts[.skipped] == 2)
    }

    @Test(
        arguments: [
            ("{get: /d}, {get: /d}", "discard", 1), ("{get: /d}, {get: /e}", "discard", 2),
            ("{get: /d}, {head: /d}", "discard", 2), ("{get: /d}, {get: /e}", "{mode: discard, key: \"'x'\"}", 1),
            ("{get: /d}, {get: /e}", "{mode: discard, key: request.method}", 1),
            ("{get: /d}, {get: /e}", "{mode: discard, key: request.url}", 2),
            ("{forEach: {in: [1, 2], as: n}, get: \"/${n}\"}", "discard", 2),
            ("{forEach: {in: [1, 1], as: n}, get: \"/${n}\"}", "discard", 1),
        ]
    )
    func `requests in steps are the same if they have the same method and URL, or the same key`(
        steps: String,
        duplicates: String,
        sent: Int
    ) async throws {
        let fixture = try ExecutionFixture(
            "    duplicates: \(duplicates)\ngraphs: {main: {batch: [\(steps)]}}\n",
            answering: { _ in .late(.json("{}"), turns: 200) }
        )
        _ = await fixture.run()
        #expect(fixture.transport.paths.count == sent)
    }
}
