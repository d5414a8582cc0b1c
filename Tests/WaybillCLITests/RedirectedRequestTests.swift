import Testing
import WaybillPlatform
import WaybillTestSupport

/// What happens to a request after a redirect of it was followed.
@Suite(.timeLimit(.minutes(5))) struct RedirectedRequestTests {
    private let folder = TemporaryFolder()

    private func run(
        _ step: String,
        at server: LoopbackServer,
        _ service: String = "",
        command: String = "run",
        secret: Bool = false
    ) async throws -> Command {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))"\(service)}}
            \(secret ? "secrets: {key: {env: KEY}}" : "")
            endpoints: {login: {method: POST, path: /login, auth: none, outputs: {token: {value: $.token, secret: true}}}}
            graphs: {main: {chain: [\(step)]}}

            """,
            to: "m.yaml"
        )
        let words =
            command == "run"
            ? ["run", "m.yaml", "--out", "out"] + (secret ? ["--env-file", "keys.env"] : []) : [command, "out"]
        return try await Command.run(CommandCase.program, words, in: folder.path)
    }

    private static func targets(_ server: LoopbackServer) -> [String] {
        server.requests.map { "\($0.method) \($0.target)" }
    }

    @Test(arguments: [303, 302, 307])
    func `a POST that was redirected to a server that cannot be reached is not sent twice`(status: Int) async throws {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { _ in
            ServerResponse(status: status, headers: [("Location", "http://127.0.0.1:1/")])
        }
        try await LoopbackServer.run(answer: answer) { server in
            let step = "{post: /orders, body: {text: a}, retry: {times: 2, backoff: {first: 1ms}}}"
            let failed = try await run(step, at: server)
            #expect(failed.status == 1, "\(failed.errorText)")
            let resumed = try await run(step, at: server, command: "resume")
            #expect(resumed.status == 2 && resumed.errorText.contains("--repeat-unsure"), "\(resumed.errorText)")
            #expect(Self.targets(server) == ["POST /orders"])
        }
    }

    @Test func `a session is renewed only if the refused request had it and was not accepted before`() async throws {
        let other = try LoopbackServer(answer: { _ in ServerResponse(status: 401) })
        defer { other.stop() }
        let elsewhere = other.url("/receipt")
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            switch request.target {
            case "/login":
                ServerResponse(
                    headers: [("Content-Type", "application/json")],
                    body: Array("{\"token\":\"t0ken123\"}".utf8)
                )
            case "/orders": ServerResponse(status: 303, headers: [("Location", "/receipt")])
            case "/away": ServerResponse(status: 307, headers: [("Location", elsewhere)])
            case "/moved": ServerResponse(status: 307, headers: [("Location", "/receipt")])
            default: ServerResponse(status: 401)
            }
        }
        let service = ", session: {call: login}, auth: {bearer: \"${session.token}\"}"
        for (path, expected) in [
            ("/orders", ["POST /login", "POST /orders", "GET /receipt"]), ("/away", ["POST /login", "POST /away"]),
            // The server has refused this one.
            (
                "/moved",
                [
                    "POST /login", "POST /moved", "POST /receipt", "POST /login", "POST /moved", "POST /receipt",
                ]
            ),
        ] {
            try await LoopbackServer.run(answer: answer) { server in
                let failed = try await run("{post: \(path), body: {text: a}}", at: server, service)
                #expect(failed.status == 1, "\(failed.outputText)\(failed.errorText)")
                #expect(Self.targets(server) == expected)
                folder.remove("out")
            }
        }
    }

    @Test(arguments: [false, true])
    func `a stream continues at another origin, unless its ID contains a secret`(hasSecret: Bool) async throws {
        let secret = hasSecret ? "feed-key-1234" : "feed"
        let feed = try LoopbackServer { connection in
            let request = connection.readRequest()
            let id = request?.values(named: "Last-Event-ID").first
            let start = id.flatMap { Int($0.dropFirst(secret.count + 1)) } ?? 0
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
            for event in stride(from: start + 1, through: connection.number == 0 ? 3 : 5, by: 1) {
                connection.write("id: \(secret)-\(event)\ndata: \(event)\n\n")
            }
            connection.close()
        }
        defer { feed.stop() }
        let location = feed.url("/feed")
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { _ in
            ServerResponse(status: 302, headers: [("Location", location)])
        }
        try await LoopbackServer.run(answer: answer) { server in
            let step =
                "{get: /, stream: {max: 5}, retry: {times: 2, backoff: {first: 1ms}}, write: {to: o.ndjson, columns: [{n: item.data}]}}"
            folder.write(hasSecret ? "KEY=\(secret)\n" : "KEY=another-1234\n", to: "keys.env")
            let keyed = step.replacing("{get: /,", with: "{get: /, headers: {X-Key: \"${secrets.key}\"},")
            let result = try await run(keyed, at: server, secret: true)
            #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
        }
        #expect(feed.requests.allSatisfy { $0.values(named: "Last-Event-ID").allSatisfy { !$0.contains("feed-key") } })
        #expect(folder.read("out/o.ndjson") == (1...5).map { "{\"n\":\"\($0)\"}\n" }.joined())
    }

    @Test func `header fields that a body loses on the way to another origin are named`() async throws {
        let other = try LoopbackServer(answer: { _ in ServerResponse() })
        defer { other.stop() }
        let location = other.url("/x")
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { _ in
            ServerResponse(status: 307, headers: [("Location", location)])
        }
        try await LoopbackServer.run(answer: answer) { server in
            let fields = "{Content-Range: bytes 0-0/2, Idempotency-Key: a, If-Match: '\"b\"'}"
            let result = try await run("{put: /x, body: {text: a}, headers: \(fields)}", at: server)
            #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
            let output = result.outputText + result.errorText
            #expect(output.contains("received its body without the fields Idempotency-Key"), "\(output)")
            #expect(other.requests.first?.values(named: "Content-Range") == ["bytes 0-0/2"])
        }
    }
}
