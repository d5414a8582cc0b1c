import Testing
import WaybillDiagnostics
import WaybillResults
import WaybillTransport

/// Sessions of services: when they are fetched and renewed.
@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    private static let service = "session: {call: login}\nheaders: {X-Session: \"${session.token}\"}"
    private static let login = """
        endpoints:
          login: {method: POST, path: /login, headers: {X-Session: null}, outputs: {token: {value: $.token, secret: true}}}

        """

    private static func token(_ count: Int) -> ScriptedTransport.Reply { .json("{\"token\": \"t\(count)\"}") }

    @Test func `fifty requests at once fetch one session`() async throws {
        let fixture = try SharingFixture(service: Self.service, Self.login + SharingFixture.batch(50)) {
            request,
            count in
            request.path == "/login" ? Self.token(count) : .json("{}")
        }
        #expect(await fixture.run().count(.passed) == 50)
        #expect(fixture.transport.requests(to: "/login").count == 1)
        #expect((0..<50).allSatisfy { fixture.transport.requests(to: "/\($0)").map(\.session) == ["t1"] })
    }

    @Test func `a session that no request needs is not fetched`() async throws {
        let fixture = try SharingFixture(
            service: "session: {call: login}",
            Self.login + "graphs: {main: {chain: [{get: /a}]}}"
        ) { request, count in request.path == "/login" ? Self.token(count) : .json("{}") }
        #expect(await fixture.run().count(.passed) == 1)
        #expect(fixture.transport.requests(to: "/login").isEmpty)
    }

    @Test func `a request to another origin neither fetches nor renews a session that only its service uses`()
        async throws
    {
        let fixture = try SharingFixture(
            service: Self.service,
            Self.login + "graphs: {main: {chain: [{get: /a, baseURL: \"http://t\"}]}}"
        ) { request, count in
            request.path == "/login" ? Self.token(count) : .json("{}", status: 401)
        }
        #expect(await fixture.run().count(.failed) == 1)
        #expect(fixture.transport.requests(to: "/login").isEmpty)
        #expect(fixture.transport.requests(to: "/a").map(\.session) == [nil])
    }

    @Test func `fifty requests refused at once renew the session once, and each is repeated once`()
        async throws
    {
        let gate = Gate(for: 50)
        let fixture = try SharingFixture(service: Self.service, Self.login + SharingFixture.batch(50)) {
            request,
            count in
            if request.path == "/login" { return Self.token(count) }
            if request.session == "t2" { return .json("{}") }
            await gate.pass()
            return .json("{}", status: 401)
        }
        #expect(await fixture.run().count(.passed) == 50)
        #expect(fixture.transport.requests(to: "/login").count == 2)
        #expect((0..<50).allSatisfy { fixture.transport.requests(to: "/\($0)").map(\.session) == ["t1", "t2"] })
        #expect(fixture.listener.renewals == 1)
    }

    @Test func `a request that is refused again fails`() async throws {
        let fixture = try SharingFixture(
            service: Self.service,
            Self.login + "graphs: {main: {chain: [{get: /a}]}}"
        ) { request, count in
            request.path == "/login" ? Self.token(count) : .json("{}", status: 401)
        }
        let outcome = await fixture.run()
        #expect(outcome.failures.map(\.kind) == [.status])
        #expect(outcome.steps.map(\.attempts) == [2])
        #expect(fixture.transport.requests(to: "/a").map(\.session) == ["t1", "t2"])
    }

    @Test func `a limit of one request at a time leaves room for the session`() async throws {
        let fixture = try SharingFixture(
            service: Self.service,
            Self.login + "defaults: {concurrency: 1}\ngraphs: {main: {batch: [{get: /a}, {get: /b}]}}"
        ) { request, count in
            if request.path == "/login" { return Self.token(count) }
            return .json("{}", status: request.session == "t1" ? 401 : 200)
        }
        #expect(await fixture.run().count(.passed) == 2)
        #expect(fixture.transport.requests(to: "/login").count == 2)
    }

    @Test(
        arguments: [
            (.failure(.connect), .connect), (.failure(.dns), .dns), (.json("{}", status: 403), .status),
            (.json("no"), .decode), (.json("{}"), .output),
        ] as [(ScriptedTransport.Reply, FailureKind)]
    )
    func `a failed login fails all waiting requests with its reason`(
        reply: ScriptedTransport.Reply,
        kind: FailureKind
    ) async throws {
        let fixture = try SharingFixture(service: Self.service, Self.login + SharingFixture.batch(3)) { request, _ in
            request.path == "/login" ? reply : .json("{}")
        }
        let failures = await fixture.run().failures
        #expect(failures.map(\.kind) == Array(repeating: kind, count: 3))
        #expect(failures.allSatisfy { $0.message.string.hasPrefix("could not fetch the session of service 's': ") })
        #expect((0..<3).allSatisfy { fixture.transport.requests(to: "/\($0)").isEmpty })
    }

    @Test func `a login is cancelled when all waiting requests are cancelled`() async throws {
        let (fixture, result) = try await SharingFixture.cancelled(
            service: Self.service,
            Self.login + SharingFixture.batch(3)
        )
        #expect(result.count(.passed) == 0)
        #expect(fixture.transport.requests(to: "/login").count == 1)
    }

    @Test func `a login can itself be sent with a token`() async throws {
        let oauth2 = "oauth2: {tokenURL: \"http://s/token\", grant: password, username: a, password: b}"
        let fixture = try SharingFixture(
            service: Self.service,
            Self.login.replacing("path: /login", with: "path: /login, auth: {\(oauth2)}")
                + "graphs: {main: {chain: [{get: /a}]}}"
        ) { request, count in
            switch request.path {
            case "/token": .json("{\"access_token\": \"o\(count)\", \"token_type\": \"Bearer\"}")
            case "/login":
                request.value(of: "Authorization") == "Bearer o2" ? Self.token(count) : .json("{}", status: 401)
            default: .json("{}")
            }
        }
        #expect(await fixture.run().count(.passed) == 1)
        #expect(fixture.transport.requests(to: "/a").map(\.session) == ["t2"])
    }
}

extension HTTPRequest {
    /// The value of the only session field.
    fileprivate var session: String? { value(of: "X-Session") }
}
