import Testing
import WaybillFormats
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct CredentialTests {
    /// A server that requires digest credentials of `user` with the password `secret` (RFC 7616, section 3.4).
    static func digestAnswer(_ algorithm: String) -> @Sendable (ReceivedRequest) -> ServerResponse {
        let hash: @Sendable (String) -> String = { text in
            let bytes = Array(text.utf8)
            let digest = Digest.value(of: bytes, algorithm == "MD5" ? .md5 : .sha256)
            return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return { request in
            let fields = parts(of: request.values(named: "Authorization").first ?? "")
            let key = hash("user:a realm:secret")
            let work = hash("\(request.method):\(request.target)")
            let middle = ["nonce", "nc", "cnonce", "qop"].map { fields[$0] ?? "" }.joined(separator: ":")
            if fields["nonce"] == "n1", fields["response"] == hash("\(key):\(middle):\(work)") {
                return ServerResponse(body: request.body)
            }
            let challenge = "Digest realm=\"a realm\", nonce=\"n1\", qop=\"auth\", algorithm=\(algorithm)"
            return ServerResponse(
                status: 401,
                headers: [("WWW-Authenticate", challenge)],
                body: Array("who are you?".utf8)
            )
        }
    }

    static func parts(of value: String) -> [String: String] {
        var parts: [String: String] = [:]
        for part in value.dropFirst("Digest ".count).split(separator: ",") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            parts[String(pair[0])] = String(pair[1].filter { $0 != "\"" })
        }
        return parts
    }

    @Test(arguments: ["PUT", "POST"], [200, 303])
    func `a body that was not sent, because the server did not ask for credentials, is a failure`(
        method: String,
        status: Int
    ) async throws {
        let answer = ServerResponse(status: status, headers: [("Location", "/")], body: Array("accepted".utf8))
        try await LoopbackServer.run(answer: { _ in answer }) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: method, url: server.url(), body: .bytes(Array("work".utf8)))
                    .with { $0.credentials = .digest(username: "user", password: "secret") }
                let failure = try #require(await transport.send(request).failure)
                #expect(failure.kind == .transfer && failure.wasSent)
                #expect(
                    failure.message.contains(
                        "did not ask for the digest credentials, and responded with status \(status)"
                    )
                )
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test(arguments: ["MD5", "SHA-256"], ["GET", "POST"])
    func `digest credentials are sent in response to the challenge`(algorithm: String, method: String) async throws {
        try await LoopbackServer.run(answer: Self.digestAnswer(algorithm)) { server in
            try await CurlTransport.run { transport in
                let body = method == "POST" ? Array("work".utf8) : []
                let request = HTTPRequest(
                    method: method,
                    url: server.url("/a?b"),
                    body: body.isEmpty ? .none : .bytes(body)
                ).with { $0.credentials = .digest(username: "user", password: "secret") }
                let response = try await transport.send(request).get()
                #expect(response.status == 200)
                #expect(response.body == body)
                #expect(server.requests.count == 2)
                // The body is sent only with the credentials.
                #expect(server.requests.map(\.body) == [[], body])
            }
        }
    }

    @Test func `a wrong password results in a 401 response`() async throws {
        try await LoopbackServer.run(answer: Self.digestAnswer("MD5")) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url()).with {
                    $0.credentials = .digest(username: "user", password: "wrong")
                }
                let response = try await transport.send(request).get()
                #expect(response.status == 401)
                #expect(response.body == Array("who are you?".utf8))
                #expect(server.requests.count == 2)
            }
        }
    }

    /// A server that refuses all requests before this one, and reports every nonce but the first as stale.
    static func staleAnswer(until count: Int) -> @Sendable (LoopbackConnection) -> Void {
        { connection in
            var number = 0
            while let request = connection.readRequest() {
                number += 1
                let challenge = "Digest realm=\"r\", nonce=\"n\(number)\", qop=\"auth\", stale=\(number > 1)"
                let answer =
                    number < count
                    ? ServerResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
                    : ServerResponse(body: request.body)
                guard connection.write(answer.bytes(to: request.method)) else { return }
            }
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `if the nonce is always stale, the request is sent again only once`(method: String) async throws {
        try await LoopbackServer.run(script: Self.staleAnswer(until: .max)) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(
                    method: method,
                    url: server.url(),
                    body: method == "POST" ? .bytes([7]) : .none
                ).with { $0.credentials = .digest(username: "user", password: "secret") }
                let failure = try #require(await transport.send(request).failure)
                #expect(failure.kind == .transfer)
                #expect(failure.code == 67)
                #expect(failure.message.contains("rejected the digest credentials twice because their nonce was stale"))
                #expect(failure.wasSent)
                #expect(failure.repetitions == 1)
                #expect(server.requests.map(\.body) == (method == "POST" ? [[], [7], [7]] : [[], [], []]))
            }
        }
    }

    @Test(arguments: [(2, 0), (3, 1)])
    func `a nonce that is stale once is replaced by a new one, and the repetition is counted`(
        count: Int,
        repetitions: Int
    ) async throws {
        try await LoopbackServer.run(script: Self.staleAnswer(until: count)) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: "POST", url: server.url(), body: .bytes([7])).with {
                    $0.credentials = .digest(username: "user", password: "secret")
                }
                let response = try await transport.send(request).get()
                #expect(response.status == 200)
                #expect(response.body == [7])
                #expect(response.repetitions == repetitions)
                #expect(server.requests.count == count)
            }
        }
    }

    @Test(arguments: [("", ""), ("user", ""), ("", "secret")])
    func `the user name and the password of digest credentials may be empty`(username: String, password: String)
        async throws
    {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            if let value = request.values(named: "Authorization").first { return .text(value) }
            let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
            return ServerResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
        }
        try await LoopbackServer.run(answer: answer) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url("/")).with {
                    $0.credentials = .digest(username: username, password: password)
                }
                let response = try await transport.send(request).get()
                let fields = Self.parts(of: String(decoding: response.body, as: UTF8.self))
                #expect(response.status == 200)
                #expect(fields["username"] == username)
                #expect(fields["response"]?.isEmpty == false)
            }
        }
    }
}
