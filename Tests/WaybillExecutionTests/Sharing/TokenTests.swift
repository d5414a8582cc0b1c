import Testing
import WaybillDiagnostics
import WaybillResults
import WaybillTransport

/// Tokens of OAuth 2.0: when they are fetched and renewed.
@Suite(.timeLimit(.minutes(5))) struct TokenTests {
    private static let client =
        "auth: {oauth2: {tokenURL: \"http://login/token\", grant: client_credentials, clientId: id, clientSecret: pass}}"

    private static func token(_ count: Int, _ more: String = "") -> ScriptedTransport.Reply {
        .json("{\"access_token\": \"t\(count)\", \"token_type\": \"Bearer\"\(more)}")
    }

    @Test func `fifty requests at once fetch one token`() async throws {
        let fixture = try SharingFixture(service: Self.client, SharingFixture.batch(50)) { request, count in
            request.path == "/token" ? Self.token(count) : .json("{}")
        }
        let result = await fixture.run()
        #expect(result.count(.passed) == 50)
        #expect(fixture.transport.requests(to: "/token").count == 1)
        #expect((0..<50).allSatisfy { fixture.transport.requests(to: "/\($0)").map(\.token) == ["Bearer t1"] })
    }

    @Test func `fifty requests refused at once renew the token once, and each is repeated once`()
        async throws
    {
        let gate = Gate(for: 50)
        let fixture = try SharingFixture(service: Self.client, SharingFixture.batch(50)) { request, count in
            if request.path == "/token" { return Self.token(count) }
            if request.token == "Bearer t2" { return .json("{}") }
            await gate.pass()
            return .json("{}", status: 401)
        }
        let result = await fixture.run()
        #expect(result.count(.passed) == 50)
        #expect(fixture.transport.requests(to: "/token").count == 2)
        #expect(
            (0..<50).allSatisfy {
                fixture.transport.requests(to: "/\($0)").map(\.token) == ["Bearer t1", "Bearer t2"]
            }
        )
        #expect(fixture.listener.renewals == 1)
    }

    @Test func `a request that is refused again fails`() async throws {
        let fixture = try SharingFixture(
            service: Self.client,
            "graphs: {main: {chain: [{post: /a}]}}"
        ) { request, count in
            request.path == "/token" ? Self.token(count) : .json("{}", status: 401)
        }
        let result = await fixture.run()
        #expect(result.failures.map(\.kind) == [.status])
        #expect(fixture.transport.requests(to: "/a").map(\.token) == ["Bearer t1", "Bearer t2"])
        #expect(fixture.transport.requests(to: "/token").count == 2)
    }

    @Test func `a limit of one request at a time leaves room for the token`() async throws {
        let fixture = try SharingFixture(
            service: "\(Self.client)\nmaxConnections: 1",
            "defaults: {concurrency: 1}\ngraphs: {main: {batch: [{get: /a}, {get: /b}]}}"
        ) { request, count in
            if request.path == "/token" { return Self.token(count) }
            return .json("{}", status: request.token == "Bearer t1" ? 401 : 200)
        }
        #expect(await fixture.run().count(.passed) == 2)
        #expect(fixture.transport.requests(to: "/token").count == 2)
    }

    @Test(arguments: [(569, "Bearer t1"), (570, "Bearer t2"), (6000, "Bearer t2")])
    func `a token is renewed thirty seconds before it expires`(seconds: Int, token: String) async throws {
        let clock = ManualClock()
        let fixture = try SharingFixture(
            service: Self.client,
            "graphs: {main: {chain: [{get: /a}, {get: /b}]}}",
            clock: clock
        ) { request, count in
            if request.path == "/token" { return Self.token(count, ", \"expires_in\": \"600\"") }
            clock.advance(by: .seconds(seconds))
            return .json("{}")
        }
        #expect(await fixture.run().count(.passed) == 2)
        #expect(fixture.transport.requests(to: "/b").map(\.token) == [token])
    }

    @Test func `the newest refresh token is used until it is refused`() async throws {
        let fixture = try SharingFixture(
            service: Self.client,
            "graphs: {main: {chain: [{get: /a}, {get: /b}, {get: /c}]}}"
        ) { request, count in
            guard request.path == "/token" else { return .json("{}", status: count == 1 ? 401 : 200) }
            if request.text.contains("refresh_token=r3") {
                return .json("{\"error\": \"invalid_grant\"}", status: 400)
            }
            return Self.token(count, count == 2 ? "" : ", \"refresh_token\": \"r\(count)\"")
        }
        #expect(await fixture.run().count(.passed) == 3)
        #expect(
            fixture.transport.requests(to: "/token").map(\.text) == [
                "grant_type=client_credentials",
                "grant_type=refresh_token&refresh_token=r1",
                // The second response had no refresh token.
                "grant_type=refresh_token&refresh_token=r1",
                "grant_type=refresh_token&refresh_token=r3",
                "grant_type=client_credentials",
            ]
        )
    }

    @Test func `a refresh token used as the grant is replaced by a newer one`() async throws {
        let fixture = try SharingFixture(
            service:
                "auth: {oauth2: {tokenURL: \"http://login/token\", grant: refresh_token, refreshToken: r0, scope: a}}",
            "graphs: {main: {chain: [{get: /a}, {get: /b}]}}"
        ) { request, count in
            guard request.path == "/token" else { return .json("{}", status: count == 1 ? 401 : 200) }
            return count == 3
                ? .json("{\"error\": \"invalid_grant\"}", status: 400)
                : Self.token(count, ", \"refresh_token\": \"r\(count)\"")
        }
        #expect(await fixture.run().count(.passed) == 2)
        #expect(
            fixture.transport.requests(to: "/token").map(\.text)
                == ["r0", "r1", "r2", "r0"].map { "grant_type=refresh_token&refresh_token=\($0)&scope=a" }
        )
    }

    @Test func `requests with other credentials have other tokens`() async throws {
        let fixture = try SharingFixture(
            service: "auth: {oauth2: {tokenURL: \"http://login/token\", grant: password, username: a, password: b}}",
            """
            graphs:
              main:
                chain:
                  - {get: /a}
                  - {get: /b, auth: {oauth2: {tokenURL: "http://login/token", grant: password, username: c, password: b}}}
                  - {get: /c, auth: {oauth2: {tokenURL: "http://login/token", grant: password, username: a, password: b}}}
                  - {get: /d, auth: none}
            """
        ) { request, count in
            request.path == "/token" ? Self.token(count) : .json("{}")
        }
        #expect(await fixture.run().count(.passed) == 4)
        let sent = ["/a", "/b", "/c", "/d"].flatMap { fixture.transport.requests(to: $0).map(\.token) }
        #expect(sent == ["Bearer t1", "Bearer t2", "Bearer t1", nil])
    }

    @Test func `a token is not sent to another origin on a redirect, and is not renewed for it`() async throws {
        let fixture = try SharingFixture(
            service: Self.client,
            "graphs: {main: {chain: [{get: /a}]}}"
        ) { request, count in
            switch request.path {
            case "/token": Self.token(count)
            case "/a": .redirect("http://other/b", status: 302)
            default: .json("{}", status: 401)
            }
        }
        #expect(await fixture.run().failures.map(\.kind) == [.status])
        #expect(fixture.transport.requests(to: "/b").map(\.token) == [nil])
        #expect(fixture.transport.requests(to: "/token").count == 1)
    }

    @Test func `a token is not requested over a mobile network if requests must not use one`() async throws {
        let fixture = try SharingFixture(
            service: "\(Self.client)\nnetwork: {metered: false}",
            "graphs: {main: {chain: [{get: /a}]}}",
            interface: NetworkInterface(named: "wwan0", describedIn: "/nowhere")
        ) { request, count in
            request.path == "/token" ? Self.token(count) : .json("{}")
        }
        #expect(await fixture.run().failures.map(\.kind) == [.unreachable])
        #expect(fixture.transport.requests(to: "/token").isEmpty)
    }

    @Test func `a token request is cancelled when all waiting requests are cancelled`() async throws {
        let (fixture, result) = try await SharingFixture.cancelled(service: Self.client, SharingFixture.batch(3))
        #expect(result.count(.passed) == 0)
        #expect(fixture.transport.requests(to: "/token").count == 1)
        #expect((0..<3).allSatisfy { fixture.transport.requests(to: "/\($0)").isEmpty })
    }

    @Test func `with the mock server, a token is available without a request`() async throws {
        let fixture = try SharingFixture(
            service: Self.client,
            "graphs: {main: {chain: [{get: /a}]}}"
        ) { _, _ in .json("{}") }
        #expect(await fixture.run(isMocked: true).count(.passed) == 1)
        #expect(fixture.transport.requests(to: "/token").isEmpty)
        #expect(fixture.transport.requests(to: "/a").map(\.token) == ["Bearer mock-access-token"])
    }
}

extension HTTPRequest {
    /// The value of the only Authorization field.
    fileprivate var token: String? { value(of: "Authorization") }
}
