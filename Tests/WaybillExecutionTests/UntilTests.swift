import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

/// Polling: what is evaluated for each response, and what only for the last one.
@Suite(.timeLimit(.minutes(5))) struct UntilTests {
    /// Runs one step, `a`, that receives these replies in turn; the last one repeats.
    private func run(
        _ step: String,
        _ replies: [ScriptedTransport.Reply]
    ) async throws -> (outcome: Executor.Outcome, transport: ScriptedTransport) {
        let turns = RepliesInTurn(replies)
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /a, \(step)}]
                outputs: {url: "default(steps.a.outputs.url, 'none')"}
            """,
            answering: { _ in turns.next() }
        )
        return (await fixture.run(), fixture.transport)
    }

    private static let until = "until: {that: $.state == 'done', every: 1ms, times: 5}"
    private static let pending = ScriptedTransport.Reply.json(#"{"state": "pending"}"#, status: 202)
    private static let done = ScriptedTransport.Reply.json(#"{"state": "done", "url": "/x"}"#)

    @Test(arguments: [
        "outputs: {url: $.url}",
        "outputs: {url: $.url}, expect: {status: 200, body: [$.url == '/x']}",
        "outputs: {url: $.url}, returns: {object: {type: object, required: [url]}}",
        "outputs: {url: $.url}, expect: {schema: {required: [url]}}",
    ])
    func `outputs and expectations are evaluated only for the last response`(settings: String) async throws {
        let (outcome, transport) = try await run("\(Self.until), \(settings)", [Self.pending, Self.pending, Self.done])
        #expect(outcome.summary == "a:passed", "\(String(describing: outcome.result.steps[0].failure))")
        #expect(outcome.outputs.first?.values.value == ["url": "/x"])
        #expect(transport.paths.count == 3)
    }

    @Test func `recover applies to the failure of the step, not to that of a poll`() async throws {
        let recover = "intercept: {beforeFailure: [{recover: {url: recovered}}]}, outputs: {url: $.url}"
        let error = ScriptedTransport.Reply.json(#"{"state": "pending"}"#, status: 500)
        let (polled, transport) = try await run("\(Self.until), \(recover)", [Self.pending, error, Self.done])
        #expect(polled.outputs.first?.values.value == ["url": "/x"])
        #expect(transport.paths.count == 3)
        // The condition uses the data, which a response without a body does not have: that fails the step.
        let (failed, _) = try await run("\(Self.until), \(recover)", [Self.pending, .json("", status: 500), Self.done])
        #expect(failed.outputs.first?.values.value == ["url": "recovered"])
    }

    @Test func `only the first poll can be answered from the cache`() async throws {
        let (_, transport) = try await run("\(Self.until), cache: default", [Self.pending, Self.pending, Self.done])
        #expect(transport.sent.map(\.options.cache) == [.default, .noCache, .noCache])
        let (_, retried) = try await run(
            "retry: {times: 2, backoff: {first: 1ms}}, cache: force-cache",
            [.json("{}", status: 503), .json("{}", status: 503), Self.done]
        )
        #expect(retried.sent.map(\.options.cache) == [.forceCache, .noCache, .noCache])
    }

    @Test func `the condition can read the status, even a rejected one`() async throws {
        let (outcome, transport) = try await run(
            "until: {that: response.status == 200, every: 1ms, times: 5}, outputs: {url: $.url}",
            [.json("{}", status: 503), .text("<p>starting</p>", type: "text/html"), Self.done]
        )
        #expect(transport.paths.count == 2)
        #expect(outcome.result.steps[0].failure?.kind == .output)
        let (later, _) = try await run(
            "until: {that: response.status == 200, every: 1ms, times: 5}, outputs: {url: $.url}",
            [.json("{}", status: 404), Self.done]
        )
        #expect(later.summary == "a:passed")
    }

    @Test func `the expectations apply to the last response, including its status`() async throws {
        let (outcome, _) = try await run("\(Self.until), expect: {status: 201}", [Self.pending, Self.done])
        #expect(outcome.result.steps[0].failure?.message.string == "the status is 200, not 201")
        let (other, _) = try await run("\(Self.until), expect: {body: [$.url == '/y']}", [Self.pending, Self.done])
        #expect(other.result.steps[0].failure?.kind == .expect)
    }

    @Test(
        arguments: [
            ([ScriptedTransport.Reply.json(#"{"message": "gone"}"#, status: 500)], "the status is 500, not 2xx: gone"),
            ([.text("<p>", type: "application/json")], "the response is not JSON"),
            ([.failure(.timeout)], "the transport failed: timeout"),
        ] as [([ScriptedTransport.Reply], String)]
    )
    func `a response on which the condition cannot be evaluated fails at once with its own reason`(
        replies: [ScriptedTransport.Reply],
        message: String
    ) async throws {
        let (outcome, transport) = try await run(Self.until, replies)
        #expect(outcome.result.steps[0].failure?.message.string.hasPrefix(message) == true)
        #expect(transport.paths.count == 1)
    }

    @Test func `filters run on each response, and a response that they reject has no data`() async throws {
        let filters = "filters: [{require: {that: $.code == 0, message: $.message}}, {select: $.data}]"
        let busy = ScriptedTransport.Reply.json(#"{"code": 9, "message": "busy"}"#)
        let ready = ScriptedTransport.Reply.json(#"{"code": 0, "data": {"state": "done", "url": "/x"}}"#)
        let (rejected, transport) = try await run("\(Self.until), \(filters)", [busy, ready])
        #expect(rejected.result.steps[0].failure?.message.string == "busy")
        #expect(transport.paths.count == 1)
        // A condition that does not need the data is still evaluated.
        let (outcome, _) = try await run(
            "until: {that: \"default($.state, '') == 'done'\", every: 1ms, times: 5}, \(filters), outputs: {url: $.url}",
            [busy, ready]
        )
        #expect(outcome.summary == "a:passed", "\(String(describing: outcome.result.steps[0].failure))")
    }

    @Test func `after the last try, the failure includes what was wrong with the last response`() async throws {
        let (outcome, _) = try await run(
            "until: {that: response.status == 200, every: 1ms, times: 2}",
            [.json(#"{"message": "starting"}"#, status: 503)]
        )
        let failure = try #require(outcome.result.steps[0].failure)
        #expect(failure.kind == .expect)
        #expect(failure.message.string.hasPrefix("after 2 polls, "))
        #expect(failure.details.last?.message.string == "the status is 503, not 2xx: starting")
    }

    @Test func `fail stops polling even if the condition cannot be evaluated`() async throws {
        let (outcome, transport) = try await run(
            "until: {that: $.state == 'done', fail: {when: response.status == 410, message: it is gone}, every: 1ms}",
            [Self.pending, .json("{}", status: 410)]
        )
        #expect(outcome.result.steps[0].failure?.message.string == "it is gone")
        #expect(transport.paths.count == 2)
    }

    @Test func `a response that has failed does not hold although its condition does`() async throws {
        let until =
            "until: {that: $.finished, fail: {when: \"$.state == 'failed'\", message: 'it failed: ${$.why}'}, every: 1ms}"
        let pending = ScriptedTransport.Reply.json(#"{"finished": false, "state": "running"}"#)
        let (failed, _) = try await run(until, [pending, .json(#"{"finished": true, "state": "failed"}"#)])
        #expect(failed.result.steps[0].failure?.message.string.hasPrefix("polling stopped, because") == true)
        let (passed, _) = try await run(until, [pending, .json(#"{"finished": true, "state": "done"}"#)])
        #expect(passed.result.steps[0].failure?.message.string == nil)
    }

    private static let polledChain = """
        graphs:
          main:
            chain:
              - {id: first, get: /first}
              - {id: g, until: {that: steps.a.data.n == 3, every: 1ms, times: 5}, chain: [{id: a, get: /a}, {id: b, get: /b}]}
              - {id: last, get: "/${steps.a.data.n}"}

        """

    private static let polledGraph = """
        graphs:
          inner: {chain: [{id: a, get: /a}, {id: b, get: /b}], outputs: {n: steps.a.data.n}}
          main:
            chain:
              - {id: first, get: /first}
              - {id: g, until: {that: steps.g.outputs.n == 3, every: 1ms, times: 5}, graph: inner}
              - {id: last, get: "/${steps.g.outputs.n}"}

        """

    private static func polled(_ text: String) throws -> ExecutionFixture {
        let replies = RepliesInTurn((1...3).map { .json("{\"n\": \($0)}") })
        return try ExecutionFixture(text) { $0.url.hasSuffix("/a") ? replies.next() : nil }
    }

    @Test(arguments: [polledChain, polledGraph])
    func `the condition of a chain can use its steps, and that of a graph its outputs`(text: String) async throws {
        let fixture = try Self.polled(text)
        #expect(await fixture.run().summary == "first:passed a:passed b:passed last:passed")
        #expect(fixture.transport.paths == ["/first", "/a", "/b", "/a", "/b", "/a", "/b", "/3"])
    }

    @Test(arguments: [polledChain, polledGraph])
    func `a resumed run executes the steps of a chain again for each further try`(text: String) async throws {
        let folder = TemporaryFolder()
        _ = try await Self.polled(text).run(into: folder)
        let lines = try #require(folder.read("events.ndjson")).split(separator: "\n")
        let first = try #require(lines.firstIndex { $0.contains("\"step.finished\",\"step\":\"main.g.a\"") })
        folder.write(lines[...first].joined(separator: "\n") + "\n", to: "events.ndjson")
        let run = try await ResumedRun(Self.polled(text), in: folder)
        #expect(run.sent == ["GET /b", "GET /a", "GET /b", "GET /a", "GET /b", "GET /a", "GET /b", "GET /3"])
    }

    @Test func `with paginate, outputs are those of the last round`() async throws {
        let (outcome, transport) = try await run(
            "until: {that: length($) == 2, every: 1ms, times: 5}, paginate: {link: true}, outputs: {url: \"$[1].url\"}",
            [.json("[{}]"), .json(#"[{}, {"url": "/x"}]"#)]
        )
        #expect(outcome.summary == "a:passed", "\(String(describing: outcome.result.steps[0].failure))")
        #expect(outcome.outputs.first?.values.value == ["url": "/x"])
        #expect(transport.paths.count == 2)
    }
}

/// Replies that are returned one after another; the last one repeats.
private final class RepliesInTurn: Sendable {
    private let rest: Mutex<[ScriptedTransport.Reply]>

    init(_ replies: [ScriptedTransport.Reply]) {
        rest = Mutex(replies)
    }

    func next() -> ScriptedTransport.Reply? {
        rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
    }
}
