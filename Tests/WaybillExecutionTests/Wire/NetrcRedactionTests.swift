import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport
import WaybillTransport

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
        #expect(exchange.data == ["***", "Basic ***"])
    }

    /// The requests that send credentials, of a step with a netrc file in a service at `http://s`.
    private func hasCredentials(
        _ step: String,
        _ netrc: String,
        _ replies: [String: ScriptedTransport.Reply] = [:]
    ) async throws -> [Bool] {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{\(step), auth: {netrc: netrc}}]}}",
            replies,
            contents: ["netrc": netrc]
        )
        #expect(await fixture.run().result.outcome == .passed)
        return fixture.transport.sent.map { $0.headers.contains { $0.isNamed("Authorization") } }
    }

    @Test(
        arguments: ["default login u password p", "machine s login u password p machine other login u password q"],
        [
            ("http://s/b", true), ("http://s:81/b", false), ("https://s/b", false), ("http://other/b", false),
        ]
    )
    func `a redirect and a next page at another origin receive no credentials of a netrc file`(
        netrc: String,
        target: (url: String, isSame: Bool)
    ) async throws {
        let redirected = try await hasCredentials("get: /a", netrc, ["/a": .redirect(target.url, status: 302)])
        #expect(redirected == [true, target.isSame])
        let page = ScriptedTransport.Reply.json("{\"next\": \"\(target.url)\"}")
        let paged = try await hasCredentials("get: /a, paginate: {next: $.next}", netrc, ["/a": page])
        #expect(paged == [true, target.isSame])
    }

    @Test(arguments: [
        ("/a", "default login u", true), ("http://s/a", "default login u", true),
        ("http://other/a", "default login u", false), ("http://s:81/a", "default login u", false),
        ("http://other/a", "machine other login u default login v", true),
    ])
    func `the default entry of a netrc file is sent only to the origin of the service`(
        url: String,
        netrc: String,
        isSent: Bool
    ) async throws {
        #expect(try await hasCredentials("get: \"\(url)\"", netrc) == [isSent])
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
