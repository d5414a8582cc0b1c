import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// Requests for tokens: what they contain, and how the responses are processed.
@Suite(.timeLimit(.minutes(5))) struct TokenRequestTests {
    private static let good = #"{"access_token": "t1", "token_type": "bearer"}"#
    private static let one = "graphs: {main: {chain: [{get: /a}]}}"

    private func request(_ oauth2: String, service: String = "", base: String = "") async throws -> HTTPRequest {
        let fixture = try SharingFixture(
            service: "auth: {oauth2: {tokenURL: \"http://s/token\", \(oauth2)}}\n\(service)",
            Self.one
        ) { request, _ in .json(request.path == "/token" ? Self.good : "{}") }
        #expect(await fixture.run().failures.map(\.message.string) == [])
        return try #require(fixture.transport.requests(to: "/token").first)
    }

    @Test(
        arguments: [
            (
                "grant: client_credentials, clientId: id, clientSecret: pass, scope: [a, \"${'b'}\"]",
                "grant_type=client_credentials&scope=a+b", "id:pass"
            ),
            // RFC 6749, section 2.3.1: both are form-encoded first.
            (
                "grant: client_credentials, clientId: \"a b:c\", clientSecret: \"ü%&\", audience: \"http://x/\"",
                "grant_type=client_credentials&audience=http%3A%2F%2Fx%2F", "a+b%3Ac:%C3%BC%25%26"
            ),
            (
                "grant: client_credentials, clientId: id, clientSecret: p&s, clientAuth: body",
                "grant_type=client_credentials&client_id=id&client_secret=p%26s", nil
            ),
            (
                "grant: password, username: me, password: \"a=b c\", clientId: id, clientSecret: pass",
                "grant_type=password&username=me&password=a%3Db+c", "id:pass"
            ),
            (
                "grant: password, username: me, password: 1234, clientId: id, scope: read",
                "grant_type=password&username=me&password=1234&scope=read&client_id=id", nil
            ),
            (
                "grant: refresh_token, refreshToken: r/1",
                "grant_type=refresh_token&refresh_token=r%2F1", nil
            ),
        ] as [(String, String, String?)]
    )
    func `each grant has its own form`(oauth2: String, form: String, client: String?) async throws {
        let request = try await request(oauth2)
        #expect(request.method == "POST")
        #expect(request.text == form)
        #expect(request.value(of: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.value(of: "Accept") == "application/json")
        let basic = client.map { "Basic \(Base64.encode(Array($0.utf8)))" }
        #expect(request.value(of: "Authorization") == basic)
    }

    @Test func `the credentials of a client are redacted where the token endpoint repeats them`() async throws {
        let oauth2 = "tokenURL: \"http://s/token\", grant: client_credentials, clientId: id, clientSecret: pw"
        let echo = Base64.encode(Array("id:pw".utf8))
        let fixture = try SharingFixture(service: "auth: {oauth2: {\(oauth2)}}", Self.one) { _, _ in
            .json("{\"error\": \"invalid_client\", \"error_description\": \"no <\(echo)> here\"}", status: 401)
        }
        let message = await fixture.run().failures.first?.message.string
        #expect(message?.contains("no <***> here") == true, "\(message ?? "")")
    }

    @Test func `a token request uses the service's transfer settings, but not its fields and parameters`() async throws
    {
        let request = try await request(
            "grant: password, username: a, password: b",
            service: """
                headers: {X-Mine: 1, Accept: text/plain}
                params: {p: 1}
                query: {q: 1}
                timeout: 7s
                proxy: http://127.0.0.1:1
                unixSocket: /tmp/a.sock
                cookies: true
                tls: {certificate: c.pem, key: c.key, pins: ["sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]}
                """
        )
        #expect(request.url == "http://s/token")
        #expect(request.headers.map(\.name).sorted() == ["Accept", "Content-Type", "User-Agent"])
        #expect(request.timeout == .seconds(7))
        #expect(request.options.proxy == .url("http://127.0.0.1:1"))
        #expect(request.options.unixSocket == "/tmp/a.sock")
        #expect(request.options.tls.clientKey != nil)
        #expect(request.options.tls.pins.count == 1)
        #expect(request.options.cookies == .off)
    }

    @Test func `a token endpoint at another origin receives nothing meant only for the service`() async throws {
        let fixture = try SharingFixture(
            service: """
                auth: {oauth2: {tokenURL: "http://login/token", grant: password, username: a, password: b}}
                tls: {certificate: c.pem, key: c.key, pins: ["sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]}
                http: 2-prior-knowledge
                unixSocket: /tmp/a.sock
                """,
            Self.one
        ) { request, _ in .json(request.path == "/token" ? Self.good : "{}") }
        #expect(await fixture.run().count(.passed) == 1)
        let request = try #require(fixture.transport.requests(to: "/token").first)
        #expect(request.options.tls.clientCertificate == nil && request.options.tls.clientKey == nil)
        #expect(request.options.unixSocket == nil)
        #expect(request.options.version == .auto)
        // Pins apply to every server.
        #expect(request.options.tls.pins.count == 1)
    }

    private struct Refusal: Sendable, CustomTestStringConvertible {
        let reply: ScriptedTransport.Reply
        let kind: FailureKind
        let message: String
        var code: String?
        var testDescription: String { message }

        init(_ reply: ScriptedTransport.Reply, _ kind: FailureKind, _ message: String, code: String? = nil) {
            (self.reply, self.kind, self.message, self.code) = (reply, kind, message, code)
        }
    }

    private static let refusals: [Refusal] = [
        Refusal(.failure(.connect), .connect, "the transport failed: connect"),
        Refusal(.failure(.timeout), .timeout, "the transport failed: timeout"),
        Refusal(.failure(.tls), .tls, "the transport failed: tls"),
        Refusal(
            .json(#"{"error": "invalid_client", "error_description": "who is 'id'?"}"#, status: 401),
            .status,
            "the token endpoint responded with status 401: invalid_client (who is 'id'?)",
            code: "invalid_client"
        ),
        Refusal(
            .json(#"{"error": "invalid_scope"}"#, status: 400),
            .status,
            "the token endpoint responded with status 400: invalid_scope",
            code: "invalid_scope"
        ),
        Refusal(
            .json(#"{"error": "invalid_grant"}"#, status: 200),
            .status,
            "the token endpoint responded with status 200: invalid_grant",
            code: "invalid_grant"
        ),
        Refusal(
            .json(#"{"message": "later"}"#, status: 500),
            .status,
            "the token endpoint responded with status 500: later"
        ),
        Refusal(.json("<p>", status: 502), .status, "the token endpoint responded with status 502"),
        Refusal(.json("token"), .decode, "the token endpoint's response is not a JSON object"),
        Refusal(.json("[]"), .decode, "the token endpoint's response is not a JSON object"),
        Refusal(.json("{}"), .expect, "the token endpoint's response has no 'token_type'"),
        Refusal(
            .json(#"{"access_token": "a", "token_type": "mac"}"#),
            .expect,
            "the token has the type 'mac', but only bearer tokens are supported"
        ),
        Refusal(
            .json(#"{"access_token": "", "token_type": "Bearer"}"#),
            .expect,
            "the token endpoint's response has no 'access_token'"
        ),
        Refusal(
            .json(#"{"access_token": "a\r\nX: b", "token_type": "Bearer"}"#),
            .expect,
            "the token contains characters that cannot be sent"
        ),
        Refusal(
            .json(#"{"access_token": "a", "token_type": "Bearer", "expires_in": "soon"}"#),
            .expect,
            "'expires_in' in the token endpoint's response is not a number of seconds"
        ),
        Refusal(
            .redirect("http://other/token", status: 307),
            .status,
            "the token endpoint redirects with status 307 to 'http://other/token', where credentials are not sent"
        ),
        Refusal(
            .redirect("/login", status: 302),
            .status,
            "the token endpoint redirects with status 302 to 'http://s/login', where credentials are not sent"
        ),
    ]

    @Test(arguments: refusals)
    private func `a failed token request is reported to all waiting requests with the endpoint's message`(
        refusal: Refusal
    ) async throws {
        let fixture = try SharingFixture(
            service: """
                auth: {oauth2: {tokenURL: "http://s/token", grant: client_credentials, clientId: id, clientSecret: pass}}
                """,
            SharingFixture.batch(3)
        ) { request, _ in request.path == "/token" ? refusal.reply : .json("{}") }
        let failures = await fixture.run().failures
        #expect(failures.map(\.kind) == Array(repeating: refusal.kind, count: 3))
        #expect(
            failures.map(\.message.string)
                == Array(repeating: "could not fetch an access token: \(refusal.message)", count: 3)
        )
        #expect(failures.map { $0.serverCode?.text.string } == Array(repeating: refusal.code, count: 3))
        #expect(failures.allSatisfy { $0.span?.start.line == 5 })
        #expect((0..<3).allSatisfy { fixture.transport.requests(to: "/\($0)").isEmpty })
        #expect(fixture.transport.requests(to: "/login").isEmpty)
    }

    @Test func `a redirect of the token endpoint within its origin is followed`() async throws {
        let fixture = try SharingFixture(
            service: "auth: {oauth2: {tokenURL: \"http://s/token\", grant: password, username: a, password: b}}",
            Self.one
        ) { request, _ in
            switch request.path {
            case "/token": .redirect("/v2/token", status: 308)
            case "/v2/token": .json(Self.good)
            default: .json("{}")
            }
        }
        #expect(await fixture.run().count(.passed) == 1)
        #expect(
            fixture.transport.requests(to: "/v2/token").map(\.text) == ["grant_type=password&username=a&password=b"]
        )
    }

    @Test(arguments: ["0", "-5", "1e300", "null", "0.5"])
    func `any number of seconds is accepted as a token's lifetime`(seconds: String) async throws {
        let fixture = try SharingFixture(
            service: "auth: {oauth2: {tokenURL: \"http://s/token\", grant: password, username: a, password: b}}",
            Self.one
        ) { request, _ in
            .json(#"{"access_token": "t", "token_type": "BEARER", "expires_in": \#(seconds)}"#)
        }
        #expect(await fixture.run().count(.passed) == 1)
    }

    @Test func `a token URL that cannot be requested is an input failure`() async throws {
        let fixture = try SharingFixture(
            service: "auth: {oauth2: {tokenURL: \"${'ftp://s/'}\", grant: password, username: a, password: hunter2}}",
            Self.one
        ) { _, _ in .json("{}") }
        let failures = await fixture.run().failures
        #expect(failures.map(\.kind) == [.input])
        #expect(failures.first?.message.string.hasPrefix("'ftp://s/' cannot be requested") == true)
        #expect(fixture.transport.requests(to: "/a").isEmpty)
    }
}
