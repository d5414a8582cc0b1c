import Testing
import WaybillJSON
import WaybillResults
import WaybillTestSupport

@Suite struct NetrcRedactionTests {
    private static let netrc = ["netrc": Array("machine 127.0.0.1 login user password hunter-two\n".utf8)]

    @Test func `a password of a netrc file that a server sends back is redacted`() async throws {
        let credentials = Base64.encode(Array("user:hunter-two".utf8))
        let exchange = try await WireExchange.run(
            "{id: a, get: /a, auth: {netrc: netrc}}",
            files: Self.netrc,
            answer: ServerAnswer(
                headers: [("Content-Type", "application/json")],
                body: Array("[\"hunter-two\", \"Basic \(credentials)\"]".utf8)
            )
        )
        #expect(exchange.received.first?.values(named: "Authorization") == ["Basic \(credentials)"])
        #expect(exchange.data == ["***", "Basic dXNlcj***"])
    }
}
