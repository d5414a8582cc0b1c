import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillPlan
import WaybillResults
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct SignedRequestTests {
    @Test func `a request with AWS keys is marked to be signed when it is sent`() async throws {
        let fixture = try ExecutionFixture(
            """
            secrets: {key: {env: KEY}}
            graphs:
              main:
                chain:
                  - get: /a
                    headers: {Authorization: mine}
                    auth: {awsSigV4: {region: r, service: s3, accessKey: a, secretKey: "${secrets.key}"}}

            """
        )
        _ = await fixture.run(secrets: ["key": "k"])
        let sent = try #require(fixture.transport.sent.first)
        let fields = sent.headers.filter { $0.isNamed("Authorization") }
        #expect(fields.map(\.isSensitive) == [true])
        #expect(fields.allSatisfy { $0.value.hasPrefix(SigningTransport.placeholder.value) })
    }

    @Test(arguments: ["region", "service", "accessKey", "sessionToken"])
    func `a line break in a key that is sent is refused with its location`(name: String) async throws {
        let keys = ["region", "service", "accessKey", "secretKey", "sessionToken"].map { key in
            key == name ? "\(key): \"${'a\\\\nb'}\"" : "\(key): x"
        }
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, auth: {awsSigV4: {\(keys.joined(separator: ", "))}}}]}}\n"
        )
        let failure = await fixture.run().result.steps.first?.failure
        #expect(failure?.kind == .input)
        #expect(failure?.message.string.contains("a line break or another control character") == true)
        #expect(failure?.span != nil)
        #expect(fixture.transport.sent.isEmpty)
    }
}
