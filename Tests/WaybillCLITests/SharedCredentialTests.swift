import Synchronization
import Testing
import WaybillJSON
import WaybillPlatform
import WaybillTestSupport

/// Sessions and tokens over real connections: fetched on demand, shared by all requests, and never stored.
@Suite(.timeLimit(.minutes(5))) struct SharedCredentialTests {
    /// A server that issues the tokens `SECRET-N` and accepts only the newest. It never responds to the first request
    /// for `/held`.
    private final class Bank: Sendable {
        private struct State {
            var logins = 0
            var isHeld = false
        }

        private let state = Mutex(State())
        /// Yields when the request for `/held` has arrived.
        let (holds, held) = AsyncStream.makeStream(of: Void.self)

        var logins: Int { state.withLock { $0.logins } }

        /// Expires all tokens.
        func end() { state.withLock { $0.logins += 1 } }

        func serve(_ connection: LoopbackConnection) {
            while let request = connection.readRequest() {
                if request.target == "/held", isFirstHeld() {
                    held.yield()
                    return connection.waitForEnd()
                }
                guard connection.write(answer(request).bytes(to: request.method)) else { return }
            }
        }

        private func isFirstHeld() -> Bool {
            state.withLock { state in
                defer { state.isHeld = true }
                return !state.isHeld
            }
        }

        private func answer(_ request: ReceivedRequest) -> ServerResponse {
            if request.target == "/login" {
                let count = state.withLock { state in
                    state.logins += 1
                    return state.logins
                }
                return .json(
                    #"{"token": "SECRET-\#(count)", "access_token": "SECRET-\#(count)", "token_type": "Bearer"}"#
                )
            }
            if request.target == "/end" {
                end()
                return .json("{}")
            }
            // The server repeats the token in its response, which must be redacted too.
            let shown = request.values(named: "Authorization").first ?? "nothing"
            if request.target == "/missing" { return .json(#"{"message": "shown was \#(shown)"}"#, status: 404) }
            let isGood = request.values(named: "Authorization") == ["Bearer SECRET-\(logins)"]
            return .json(#"{"message": "shown was \#(shown)"}"#, status: isGood ? 200 : 401)
        }
    }

    private static let services = [
        """
            session: {call: login, with: {password: "${secrets.password}"}}
            auth: {bearer: "${session.token}"}
        endpoints:
          login: {method: POST, path: /login, auth: none, inputs: {password: string}, params: {p: "${inputs.password}"},
              outputs: {token: {value: $.token, secret: true}}}
        """,
        """
            auth: {oauth2: {tokenURL: "SERVER/login", grant: password, username: me, password: "${secrets.password}"}}
        """,
    ]

    /// Makes a folder with a manifest.
    private func folder(_ server: LoopbackServer, _ service: String, _ chain: String) -> TemporaryFolder {
        let folder = TemporaryFolder()
        let text = """
            waybill: 1
            secrets: {password: {env: PASSWORD}}
            defaults: {concurrency: 16}
            services:
              s:
                baseURL: SERVER
            \(service)
            graphs:
              main:
                chain:
            \(chain)

            """
        folder.write(text.replacing("SERVER", with: server.url("")), to: "manifest.yaml")
        return folder
    }

    private let variables = ["PASSWORD": "PASSWORD-1"]

    /// Everything that the program wrote: its output and all files.
    private func written(_ command: Command, in folder: TemporaryFolder) async throws -> String {
        let files = try await Command.run("/bin/sh", ["-c", "find results -type f -exec cat {} +"], in: folder.path)
        return command.outputText + command.errorText + files.outputText
    }

    @Test(arguments: services)
    func `a credential is fetched once, renewed once, shared by all requests, and written nowhere`(service: String)
        async throws
    {
        let bank = Bank()
        let server = try LoopbackServer { bank.serve($0) }
        defer { server.stop() }
        let items = "forEach: {in: \(Array(0..<50)), as: n}, get: \"/items/${n}\""
        let folder = folder(
            server,
            service,
            """
                  - {id: one, \(items)}
                  - {id: end, post: /end, auth: none}
                  - {id: two, \(items), debug: true}
                  - {id: missing, get: /missing, onFailure: continue}
            """
        )
        let run = try await Command.run(
            CommandCase.program,
            ["run", "manifest.yaml", "--out", "results"],
            in: folder.path,
            variables: variables
        )
        #expect(run.status == 0, "\(run.outputText)\(run.errorText)")
        // One login before the expiry and one after; the bank also counts '/end', which is not a login.
        #expect(server.requests.count { $0.target == "/login" } == 2)
        #expect(bank.logins == 3)
        #expect(server.requests.first?.target == "/login")
        let written = try await written(run, in: folder)
        #expect(written.contains("session.renewed") && written.contains("shown was Bearer ***"))
        #expect(!written.contains("SECRET-1") && !written.contains("SECRET-3") && !written.contains("PASSWORD-1"))
    }

    @Test(arguments: services)
    func `a resumed run fetches a new credential`(service: String) async throws {
        let bank = Bank()
        let server = try LoopbackServer { bank.serve($0) }
        defer { server.stop() }
        let folder = folder(server, service, "      - {id: one, get: /items}\n      - {id: two, get: /held}")
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        let first = Task {
            defer { bank.held.finish() }
            return try await Command.run(
                CommandCase.program,
                ["run", "manifest.yaml", "--out", "results"],
                in: folder.path,
                variables: variables,
                onStart: { started.yield($0) }
            )
        }
        let process = try #require(await starts.first { _ in true })
        await bank.holds.first { _ in true }
        Command.send(SIGKILL, to: process)
        let killed = try await first.value
        #expect(killed.status == 128 + SIGKILL, "\(killed.outputText)\(killed.errorText)")

        let second = try await Command.run(
            CommandCase.program,
            ["resume", "results"],
            in: folder.path,
            variables: variables
        )
        #expect(second.status == 0, "\(second.outputText)\(second.errorText)")
        #expect(server.requests.map(\.target) == ["/login", "/items", "/held", "/login", "/held"])
        let written = try await written(second, in: folder)
        #expect(written.contains("step.finished"))
        #expect(!written.contains("SECRET-") && !written.contains("PASSWORD-1"))
    }

    @Test(arguments: services)
    func `if no credential can be obtained, no request is sent`(service: String) async throws {
        let port = try LoopbackSocket.refusingPort()
        let bank = Bank()
        let server = try LoopbackServer { bank.serve($0) }
        defer { server.stop() }
        let service = service.replacing("SERVER/login", with: "http://127.0.0.1:\(port)/")
            .replacing("path: /login", with: "url: \"http://127.0.0.1:\(port)/\"")
        let folder = folder(server, service, "      - {id: one, get: /items}")
        let run = try await Command.run(
            CommandCase.program,
            ["run", "manifest.yaml", "--out", "results"],
            in: folder.path,
            variables: variables
        )
        #expect(run.status == 1, "\(run.outputText)\(run.errorText)")
        #expect(server.requests.isEmpty)
        let summary = try JSONParser().parse(Array(try #require(folder.read("results/run.json")).utf8))
        #expect(summary["steps"]?.array?.first?["failure"]?["kind"] == "connect")
    }

    /// The steps, and what another origin than that of the service 'p' receives of credentials.
    private static let callsElsewhere: [(step: String, received: [String])] = [
        ("call: p.o, service: plain", []),
        ("call: e, service: plain", []),
        ("call: w.o, service: plain", []),
        ("call: w.own, service: plain", []),
        ("call: w.own", []),
        ("call: p.o, service: schemes", ["Bearer SECOND-1"]),
        ("call: p.o, service: authenticated", ["Bearer SECOND-1"]),
        ("call: p.o, standalone: true, baseURL: OTHER", []),
        ("call: alone", []),
        ("call: p.o, baseURL: OTHER", []),
    ]

    @Test(arguments: callsElsewhere)
    func `the credentials of security schemes are sent only to the origin of their service`(
        step: String,
        received: [String]
    ) async throws {
        try await LoopbackServer.run(answer: { _ in .json("{}") }) { other in
            let folder = TemporaryFolder()
            let api = """
                openapi: 3.1.0
                info: {title: a, version: "1"}
                servers: [{url: "http://127.0.0.1:1"}]
                security: [{token: []}]
                paths:
                  /o: {get: {operationId: o, responses: {"200": {description: x}}}}
                  /own: {get: {operationId: own, servers: [{url: "OTHER"}], responses: {"200": {description: x}}}}
                components: {securitySchemes: {token: {type: http, scheme: bearer}}}
                """
            let manifest = """
                waybill: 1
                secrets: {first: {env: FIRST}, second: {env: SECOND}}
                services:
                  p: {openapi: api.yaml, baseURL: "http://127.0.0.1:1", security: {token: {bearer: "${secrets.first}"}}}
                  w: {openapi: api.yaml, security: {token: {bearer: "${secrets.first}"}}}
                  plain: {baseURL: OTHER}
                  authenticated: {baseURL: OTHER, auth: {bearer: "${secrets.second}"}}
                  schemes: {openapi: api.yaml, baseURL: OTHER, security: {token: {bearer: "${secrets.second}"}}}
                endpoints: {e: {operation: p.o}, alone: {operation: p.o, standalone: true, baseURL: OTHER}}
                graphs: {main: {chain: [{STEP}]}}
                """
            let origin = String(other.url("").dropLast(other.url("").hasSuffix("/") ? 1 : 0))
            for (text, file) in [(api, "api.yaml"), (manifest.replacing("STEP", with: step), "m.yaml")] {
                folder.write(text.replacing("OTHER", with: origin), to: file)
            }
            let run = try await Command.run(
                CommandCase.program,
                ["run", "m.yaml"],
                in: folder.path,
                variables: ["FIRST": "FIRST-1", "SECOND": "SECOND-1"]
            )
            #expect(run.status == 0, "\(run.errorText)")
            #expect(other.requests.count == 1)
            #expect(other.requests.flatMap { $0.values(named: "Authorization") } == received)
            // A warning names the credentials that are missing, unless the step names the origin.
            let warns = received.isEmpty && step != "call: p.o, baseURL: OTHER"
            #expect(run.errorText.contains("missing-credentials") == warns, "\(run.errorText)")
        }
    }
}

extension ServerResponse {
    fileprivate static func json(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
}
