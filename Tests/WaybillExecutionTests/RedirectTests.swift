import Testing
import WaybillData
import WaybillExecution
import WaybillResults
import WaybillTransport

@Suite struct RedirectTests {
    private func run(
        _ step: String,
        _ replies: [String: FakeTransport.Reply],
        secrets: [String: String] = [:]
    ) async throws -> (outcome: Executor.Outcome, sent: [HTTPRequest], hops: [String]) {
        let fixture = try ExecutionFixture(
            "secrets: {key: {env: KEY}}\ngraphs: {main: {chain: [{id: a, \(step)}]}}\n",
            replies
        )
        let listener = EventListener()
        let events = EventStream(journal: nil, observers: [listener])
        let outcome = await fixture.run(secrets: secrets, events: events)
        return (outcome, fixture.transport.sent, listener.redirections)
    }

    @Test func `redirects are followed, and each hop is told`() async throws {
        let (outcome, sent, hops) = try await run(
            "post: /a, body: {text: x}",
            ["/a": .redirect("/b", status: 303), "/b": .redirect("http://s/c", status: 301)]
        )
        #expect(outcome.summary == "a:passed")
        #expect(sent.map { "\($0.method) \($0.url)" } == ["POST http://s/a", "GET http://s/b", "GET http://s/c"])
        #expect(hops == ["303 GET http://s/b", "301 GET http://s/c"])
    }

    @Test func `what a secret touched does not follow to another origin`() async throws {
        let (_, sent, _) = try await run(
            "get: /a, headers: {X-Key: \"${secrets.key}\", X-Plain: p}, auth: {bearer: t}",
            ["/a": .redirect("http://other/b", status: 302)],
            secrets: ["key": "k"]
        )
        let names = sent.last?.headers.map(\.name) ?? []
        #expect(sent.count == 2)
        #expect(names.contains("X-Plain"))
        #expect(!names.contains("X-Key") && !names.contains("Authorization"))
    }

    @Test(arguments: [("redirects: false, expect: {status: 302}", "a:passed", 1), ("redirects: 1", "a:failed", 2)])
    func `a limit holds, and none are followed where that is declined`(
        settings: String,
        summary: String,
        count: Int
    ) async throws {
        let (outcome, sent, _) = try await run(
            "get: /a, \(settings)",
            ["/a": .redirect("/b", status: 302), "/b": .redirect("/a", status: 302)]
        )
        #expect(outcome.summary == summary)
        #expect(sent.count == count)
    }
}
