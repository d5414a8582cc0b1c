import Testing
import WaybillResults
import WaybillTestSupport

/// How expressions and messages use the header of a response.
@Suite(.timeLimit(.minutes(5))) struct ResponseHeadTests {
    @Test func `only the outer blanks of cookie names and values are removed`() async throws {
        let exchange = try await WireExchange.run(
            "{id: a, get: /, expect: {body: [\"response.cookies.foo == 'bar'\", \"response.cookies['a b'] == 'c d'\"]}}",
            answer: ServerResponse(headers: [
                ("Set-Cookie", "foo= bar ; Path=/"), ("Set-Cookie", " a b =c d"), ("Set-Cookie", "=x"),
            ])
        )
        #expect(exchange.failure == nil, "\(exchange.failure?.message.string ?? "")")
    }

    @Test func `response.time is in milliseconds`() async throws {
        // No request takes less than ten microseconds, or ten milliseconds if these were seconds.
        let exchange = try await WireExchange.run("{id: a, get: /, expect: {body: [response.time > 0.01]}}")
        #expect(exchange.failure == nil, "\(exchange.failure?.message.string ?? "")")
    }

    @Test(arguments: [
        (
            "Digest realm=\"a, b\", nonce=\"n\", qop=\"auth\", algorithm=SHA-512-256",
            "with the algorithm SHA-512-256, which"
        ),
        ("Basic realm=\"x\", Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"", "with qop=auth-int, which"),
        ("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int, auth\", algorithm=MD5", nil),
    ])
    func `a digest challenge that is not supported is named in the message`(challenge: String, words: String?)
        async throws
    {
        let exchange = try await WireExchange.run(
            "{id: a, get: /, auth: {digest: {username: somebody, password: correct horse}}}",
            answer: ServerResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
        )
        let message = try #require(exchange.failure?.message.string)
        #expect(message.hasPrefix("the status is 401"))
        #expect(message.contains(words ?? "401"), "\(message)")
        #expect(message.contains("is not supported") == (words != nil), "\(message)")
    }
}
