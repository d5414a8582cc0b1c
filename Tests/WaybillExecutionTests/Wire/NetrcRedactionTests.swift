import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct NetrcRedactionTests {
    private static let netrc = ["netrc": Array("machine 127.0.0.1 login user password hunter-two\n".utf8)]

    @Test func `a password of a netrc file that a server sends back is redacted`() async throws {
        let credentials = Base64.encode(Array("user:hunter-two".utf8))
        let exchange = try await WireExchange.run(
            "{id: a, get: /a, auth: {netrc: netrc}}",
            files: Self.netrc,
            answer: ServerResponse(
                headers: [("Content-Type", "application/json")],
                body: Array("[\"hunter-two\", \"Basic \(credentials)\"]".utf8)
            )
        )
        #expect(exchange.received.first?.values(named: "Authorization") == ["Basic \(credentials)"])
        #expect(exchange.data == ["***", "Basic dXNlcj***"])
    }

    @Test(arguments: [("machine other login user password hunter-two", 1), ("", 1), ("default login user", 0)])
    func `a netrc file without credentials for a host causes one warning`(text: String, count: Int) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{get: /a, auth: {netrc: netrc}}, {get: /b, auth: {netrc: netrc}}]}}",
            contents: ["netrc": text]
        )
        let listener = EventListener()
        let outcome = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        #expect(outcome.result.outcome == .passed)
        #expect(listener.warnings.count == count)
        let words = "netrc has no credentials for s, so requests to it are sent without any"
        #expect(listener.warnings.allSatisfy { $0.hasSuffix(words) })
    }

    @Test func `a file without netrc entries is an error`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, auth: {netrc: netrc}}]}}",
            contents: ["netrc": "root:x:0:0:root:/root:/bin/bash\n"]
        )
        let failure = try #require(await fixture.run().result.steps[0].failure)
        #expect(failure.kind == .input)
        #expect(
            failure.message.string.hasSuffix(
                "netrc is not a netrc file: it has no entry that starts with 'machine' or 'default'"
            )
        )
    }
}
