import Dispatch
import Synchronization
import Testing
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct RequestEventTests {
    private static let elements = """
        endpoints: {e: {path: /a, service: s}}
        graphs: {main: {chain: [{id: a, forEach: {in: [1, 2], as: n}, call: e}]}}

        """

    @Test(arguments: [false, true])
    func `attempts of elements are counted, and their requests are reported only if enabled`(isWanted: Bool)
        async throws
    {
        let fixture = try ExecutionFixture(Self.elements)
        let listener = EventListener()
        let events = EventStream(journal: nil, observers: [listener], reportedElements: isWanted ? .all : .none)
        let outcome = await fixture.run(events: events)
        #expect(outcome.result.steps.first?.attempts == 2)
        let sent = listener.lines.filter { $0.hasPrefix("request.willSend") }
        #expect(Set(sent) == (isWanted ? ["request.willSend main.a[0]", "request.willSend main.a[1]"] : []))
    }

    @Test(arguments: [("get: /a", 0), ("get: /a, trace: true", 2), ("post: /a", 2)])
    func `while a trace is exported, the responses of its requests are reported`(
        request: String,
        responses: Int
    ) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, forEach: {in: [1, 2], as: n}, \(request)}]}}\n"
        )
        let listener = EventListener()
        _ = await fixture.run(events: EventStream(journal: nil, observers: [listener], reportedElements: .traced))
        let types = listener.lines.map { $0.prefix { $0 != " " } }
        for type in ["request.willSend", "response.head", "response.finished"] {
            #expect(types.count { $0 == type } == responses)
        }
    }

    @Test func `request and response events name the endpoint, other events do not`() async throws {
        let fixture = try ExecutionFixture(
            "endpoints: {e: {path: /a, service: s}}\ngraphs: {main: {chain: [{id: a, call: e}]}}\n"
        )
        let listener = EventListener()
        _ = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        for event in listener.all {
            let isOfRequest = event.kind.type.hasPrefix("request.") || event.kind.type.hasPrefix("response.")
            #expect(event.endpoint == (isOfRequest ? "e" : nil))
        }
        #expect(listener.all.contains { $0.endpoint == "e" })
    }

    @Test func `request.sent comes before the response`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            connection.readRequest()
            gate.wait()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForEnd()
        }
        try await LoopbackServer.run(script: script) { server in
            let fixture = try ExecutionFixture(
                "graphs: {main: {chain: [{id: a, get: /}]}}\n",
                at: server.url("")
            )
            let transport = try CurlTransport()
            let listener = EventListener()
            let events = EventStream(journal: nil, observers: [listener])
            async let outcome = fixture.run(over: transport, events: events)
            await listener.wait(for: "request.sent main.a")
            gate.signal()
            #expect(await outcome.summary == "a:passed")
            await transport.shutDown()
        }
    }

    @Test(arguments: [("digest", 2, 1), ("digest", 3, 2), ("basic", 2, 1)])
    func `resending for a stale nonce counts as an attempt, responding to the challenge does not`(
        method: String,
        requests: Int,
        attempts: Int
    ) async throws {
        // Refuses all requests before the last one, and marks every nonce but the first as stale. libcurl 8.14 may use a
        // connection for each, because it may receive the response before it notes that it has sent the whole request.
        let count = Mutex(0)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let request = connection.readRequest() {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let isLast = number == (method == "basic" ? 1 : requests)
                let challenge = "Digest realm=\"r\", nonce=\"n\(number)\", qop=\"auth\", stale=\(number > 1)"
                let answer =
                    isLast ? ServerResponse() : ServerResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
                guard connection.write(answer.bytes(to: request.method)) else { return }
            }
        }
        try await LoopbackServer.run(script: script) { server in
            let auth = "auth: {\(method): {username: u, password: p}}"
            let fixture = try ExecutionFixture(
                "graphs: {main: {chain: [{id: a, post: /, \(auth)}]}}\n",
                at: server.url("")
            )
            let transport = try CurlTransport()
            let result = await fixture.run(over: transport).result
            await transport.shutDown()
            #expect(result.steps.map(\.outcome) == [.passed])
            #expect(server.requests.count == (method == "basic" ? 1 : requests))
            #expect(result.steps.map(\.attempts) == [attempts])
        }
    }

    @Test func `the time of a step covers all of its pages`() async throws {
        // The transport reports a time of zero for each page.
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, paginate: {link: true}}]}}\n",
            ["/a": .linked("[1]", ["</b>; rel=\"next\""]), "/b": .linked("[2]", [])]
        )
        let step = try #require(await fixture.run().result.steps.first)
        #expect(step.attempts == 2)
        #expect(step.time.map { $0.total > .zero } == true)
    }

    @Test func `the elements of a forEach have one warning`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{forEach: {in: range(26), as: n}, request: {vars: {m: GET}, method: \"${vars.m}\", path: /a, body: {text: x}}}]}}"
        )
        let (_, events) = try await fixture.run(into: TemporaryFolder())
        let warnings = events.filter { if case .warning = $0.kind { true } else { false } }
        #expect(warnings.count == 1)
    }
}
