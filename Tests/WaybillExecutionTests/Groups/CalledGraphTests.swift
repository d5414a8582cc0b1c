import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// Graphs that steps run with settings.
@Suite(.timeLimit(.minutes(5))) struct CalledGraphTests {
    private static let text = """
        graphs:
          main:
            inputs: {lang: {type: string, default: de}}
            headers: {X-Lang: "${inputs.lang}"}
            chain:
              - {id: login, get: /login, outputs: {token: {value: $.token, secret: true}}}
              - chain:
                  - id: each
                    forEach: {in: [1, 2], as: n, concurrency: 1}
                    graph: sub
                    with: {lang: "fr${n}"}
                    auth: {bearer: "${steps.login.outputs.token}"}
                    query: {n: "${n}"}
                query: {outer: "${steps.login.status}"}
          sub:
            inputs: {lang: string}
            inherit: {headers: false}
            chain:
              - {id: login, get: /sub, headers: {X-Sub: "${inputs.lang}"}}
              - {id: inner, graph: deep, query: {login: "${steps.login.status}"}}
          deep:
            chain:
              - {get: /deep}

        """

    private static let answer: @Sendable (String) -> ScriptedTransport.Reply? = { path in
        .json(#"{"token": "token-123456"}"#, status: path.hasPrefix("/sub") ? 201 : 200)
    }

    @Test func `settings of a step that runs a graph, and of what encloses it, apply to the requests of the graph`()
        async throws
    {
        let fixture = try ExecutionFixture(Self.text) { Self.answer($0.url.replacing("http://s", with: "")) }
        let outcome = await fixture.run()
        #expect(outcome.result.outcome == .passed)
        let sent = fixture.transport.sent.map { request in
            let fields = request.headers.filter { $0.name.hasPrefix("X-") || $0.name == "Authorization" }
            return "\(request.url.dropFirst(8)) \(fields.map(\.value).joined(separator: ","))"
        }
        #expect(
            sent == [
                "/login de",
                "/sub?outer=200&n=1 fr1,Bearer token-123456", "/deep?outer=200&n=1&login=201 Bearer token-123456",
                "/sub?outer=200&n=2 fr2,Bearer token-123456", "/deep?outer=200&n=2&login=201 Bearer token-123456",
            ]
        )
        let paths = outcome.result.steps.map(\.path)
        #expect(paths.contains("main.2.each[1].inner.1") || paths.contains("main.2.each"))
    }

    @Test func `a resumed run repeats the step whose secret output the settings need`() async throws {
        let started = #""type":"request.willSend","step":"main.2.each[1].login""#
        let run = try await ResumedRun(Self.text, killedAfter: started, answering: Self.answer)
        #expect(run.messages == [])
        #expect(run.sent == ["GET /login", "GET /sub?outer=200&n=2", "GET /deep?outer=200&n=2&login=201"])
        let post = Self.text.replacing("get: /login,", with: "post: /login,")
        let refused = try await ResumedRun(post, killedAfter: started, answering: Self.answer)
        #expect(refused.sent == [])
        #expect(
            refused.messages == [
                "step 'main.login' passed and must not be sent again, but the journal does not contain its output 'token'"
            ]
        )
    }

    @Test func `the deadline of a step does not apply to the finally of the graph that it runs`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main: {chain: [{id: g, graph: inner, deadline: 50ms}]}
              inner:
                chain: [{id: a, get: /a}]
                finally: [{id: gone, get: /gone, decoding: ndjson}]
            """,
            ["/a": .held, "/gone": .json("1\n2\n")]
        )
        #expect(await fixture.run().summary == "a:failed gone:passed")
    }
}
