import Synchronization
import Testing
import WaybillTestSupport

/// Runs that use the cache, and `waybill cache`.
@Suite(.timeLimit(.minutes(5))) struct CacheCommandTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(
            CommandCase.program,
            arguments,
            in: folder.path,
            variables: ["XDG_CACHE_HOME": "\(folder.path)/cache", "KEY": "a-secret-key"]
        )
    }

    @Test func `a warning about the cache comes after the start of the run, so that the run can be continued`()
        async throws
    {
        folder.write(
            """
            waybill: 1
            graphs: {main: {chain: [{values: {a: "1"}}, {get: "http://127.0.0.1:9/", cache: default, when: 1 == 2}]}}
            """,
            to: "manifest.yaml"
        )
        for _ in 0..<2 {
            let run = try await Command.run(
                CommandCase.program,
                ["run", "manifest.yaml", "--out", "out"],
                in: folder.path,
                variables: ["XDG_CACHE_HOME": "", "HOME": ""]
            )
            #expect(run.status == 0 && run.outputText.contains("the cache is disabled"), "\(run.outputText)")
            let journal = TemporaryFolder.contents(of: "\(folder.path)/out/events.ndjson") ?? []
            let first = String(decoding: journal.prefix { $0 != 0x0A }, as: UTF8.self)
            #expect(first.contains(#""type":"run.started""#), "\(first)")
        }
    }

    @Test func `a later run reuses cached responses, except those that contain secrets`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 2\r\n\r\n{}")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            folder.write(
                """
                waybill: 1
                secrets: {key: {env: KEY}}
                defaults: {cache: default, baseURL: "\(server.url(""))"}
                graphs:
                  main:
                    chain:
                      - {id: open, get: /open}
                      - {id: header, get: /header, headers: {X-Key: "${secrets.key}"}}
                      - {id: address, get: "/address?key=${secrets.key}"}
                """,
                to: "manifest.yaml"
            )
            let first = try await waybill("run", "manifest.yaml", "--no-color")
            #expect(first.status == 0, "\(first.errorText)")
            #expect(first.outputText.contains("/open  200  cache miss"))
            let warning = "a request with a secret, or for one, does not use the cache"
            #expect(first.outputText.ranges(of: warning).count == 1, "\(first.outputText)")
            let second = try await waybill("run", "manifest.yaml", "--format", "ndjson")
            #expect(second.outputText.contains(#""type":"cache.used","step":"main.open","attempt":1,"cache":"hit""#))
            #expect(server.requests.map(\.target).filter { $0 == "/open" }.count == 1)
            #expect(server.requests.count == 5)
        }
        let listed = try await waybill("cache", "list")
        #expect(listed.outputText.split(separator: "\n").count == 1)
        #expect(listed.outputText.contains("  fresh  200  "))
        #expect(listed.outputText.contains("/open"))
        let info = try await waybill("cache")
        #expect(info.outputText.hasPrefix("\(folder.path)/cache/waybill/http\n1 response, "))
        let cleared = try await waybill("cache", "clear")
        #expect(cleared.outputText.hasPrefix("removed 1 response, "))
        #expect(try await waybill("cache", "list").outputText.isEmpty)
    }

    @Test func `a response that contains a secret is not stored`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let request = connection.readRequest() {
                let tokens = ["/echo": "a-secret-key", "/token": "from-the-server"]
                let body = "{\"token\":\"\(tokens[request.target] ?? "")\"}"
                let fields = "Cache-Control: max-age=600\r\nContent-Type: application/json\r\n"
                connection.write("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            folder.write(
                """
                waybill: 1
                secrets: {key: {env: KEY}}
                defaults: {cache: {folder: responses}}
                services: {s: {baseURL: "\(server.url(""))", session: {call: login}}}
                endpoints: {login: {path: /login, outputs: {user: $.token}}}
                graphs:
                  main:
                    chain:
                      - {id: login, get: /with-session, headers: {X-User: "${session.user}"}}
                      - {id: use, post: /use, body: {json: {key: "${secrets.key}"}}}
                      - {id: echo, get: /echo}
                      - {id: token, get: /token, outputs: {token: {value: $.token, secret: true}}}
                      - {id: open, get: /open}
                """,
                to: "manifest.yaml"
            )
            for _ in 0..<2 {
                let run = try await waybill("run", "manifest.yaml", "--no-color")
                #expect(run.status == 0, "\(run.errorText)")
            }
            let targets = [
                "/login", "/with-session", "/use", "/echo", "/token", "/open", "/login", "/use", "/echo", "/token",
            ]
            #expect(server.requests.map(\.target) == targets)
        }
        let list = try await waybill("cache", "list", "--folder", "responses").outputText
        #expect(list.split(separator: "\n").count == 2 && list.contains("/open") && list.contains("/with-session"))
    }

    @Test func `a request is reported as sent only if it was sent`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let request = connection.readRequest() {
                switch request.target {
                case "/moved":
                    connection.write(
                        "HTTP/1.1 301 Moved\r\nCache-Control: max-age=600\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"
                    )
                case "/stale" where !request.values(named: "If-None-Match").isEmpty:
                    connection.write("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")
                default:
                    let control = ["/stale": "no-cache", "/new": "no-store"][request.target] ?? "max-age=600"
                    connection.write(
                        "HTTP/1.1 200 OK\r\nCache-Control: \(control)\r\nETag: \"1\"\r\nContent-Length: 2\r\n\r\n{}"
                    )
                }
            }
        }
        try await LoopbackServer.run(script: script) { server in
            folder.write(
                """
                waybill: 1
                defaults: {cache: default, baseURL: "\(server.url(""))"}
                graphs:
                  main:
                    onFailure: continue
                    chain:
                      - {id: fresh, get: /fresh}
                      - {id: stale, get: /stale}
                      - {id: moved, get: /moved}
                      - {id: unsafe, post: /unsafe}
                      - {id: file, get: /file, download: {to: file}}
                      - {id: absent, get: /absent, cache: only-if-cached}
                """,
                to: "manifest.yaml"
            )
            func sent(_ run: Command) -> [String] {
                run.outputText.split(separator: "\n").filter { $0.contains(#""type":"request.willSend""#) }.map {
                    line in
                    let words = line.split(separator: "\"").map(String.init)
                    func value(_ name: String) -> Substring {
                        words.firstIndex(of: name).map { words[$0 + 2].split(separator: "/").last ?? "" } ?? ""
                    }
                    return "\(value("step")) \(value("url"))"
                }
            }
            let first = try await waybill("run", "manifest.yaml", "--format", "ndjson")
            let all = [
                "main.fresh fresh", "main.stale stale", "main.moved moved", "main.unsafe unsafe", "main.file file",
            ]
            #expect(sent(first) == all)
            let second = try await waybill("run", "manifest.yaml", "--format", "ndjson")
            #expect(sent(second) == ["main.stale stale", "main.moved new", "main.unsafe unsafe", "main.file file"])
        }
    }

    @Test func `a manifest can set the cache's folder and size, and a step can override just the mode`() async throws {
        let large = String(repeating: "x", count: 40_000)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let request = connection.readRequest() {
                let body = request.target == "/other" ? "{}" : "\"\(large)\""
                let fields = "Cache-Control: max-age=600\r\nContent-Type: application/json\r\n"
                connection.write("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            folder.write(
                """
                waybill: 1
                defaults:
                  baseURL: "\(server.url(""))"
                  cache: {folder: responses, maxSize: 400kB}
                graphs:
                  main:
                    chain:
                      - {id: each, forEach: {in: "range(0, 20)", as: n, concurrency: 1}, get: "/${n}"}
                      - {id: other, get: /other, cache: {folder: others}}
                      - {id: again, get: /other, cache: {mode: reload, folder: others}}
                      - {id: last, get: /19, cache: only-if-cached}
                """,
                to: "manifest.yaml"
            )
            let run = try await waybill("run", "manifest.yaml", "--no-color")
            #expect(run.status == 0, "\(run.errorText)")
            #expect(run.outputText.contains("/other  200  cache miss"))
            #expect(run.outputText.contains("/19  200  cache hit"))
            #expect(server.requests.count == 22)
        }
        let kept = try await waybill("cache", "--folder", "responses")
        let count = try #require(
            kept.outputText.split(separator: "\n").last?.split(separator: " ").first.flatMap { Int($0) }
        )
        #expect((8...10).contains(count), "\(kept.outputText)")
        #expect(!kept.outputText.contains("at most"))
        #expect(try await waybill("cache", "list", "--folder", "others").outputText.contains("/other"))
        #expect(try await waybill("cache", "info").outputText.contains("\n0 responses, "))
        #expect(try await waybill("cache", "clear", "--folder", "others").outputText.hasPrefix("removed 1 response, "))
        for command in ["info", "list", "clear"] {
            let missing = try await waybill("cache", command, "--folder", "manifest.yaml")
            #expect(missing.status == 3 && missing.outputText.isEmpty, "\(missing.outputText)")
        }
    }

    @Test func `a response that cannot be decoded is not stored`() async throws {
        let count = Mutex(0)
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while connection.readRequest() != nil {
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=600\r\n"
                        + "Content-Length: 2\r\n\r\n\(isFirst ? "{]" : "{}")"
                )
            }
        }
        try await LoopbackServer.run(script: script) { server in
            folder.write(
                """
                waybill: 1
                defaults: {baseURL: "\(server.url(""))", cache: default}
                graphs: {main: {chain: [{id: a, get: /a}]}}
                """,
                to: "manifest.yaml"
            )
            for status: Int32 in [1, 0, 0] {
                let run = try await waybill("run", "manifest.yaml")
                #expect(run.status == status, "\(run.outputText)")
            }
            #expect(count.withLock(\.self) == 2)
        }
    }

    @Test func `a cache that cannot be written is reported once and fails nothing`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 2\r\n\r\n{}")
            }
        }
        try await LoopbackServer.run(script: script) { server in
            folder.write(
                """
                waybill: 1
                defaults: {baseURL: "\(server.url(""))", cache: {folder: file/responses}}
                graphs: {main: {chain: [{id: a, get: /a}, {id: b, get: /b}]}}
                """,
                to: "manifest.yaml"
            )
            folder.write("not a folder", to: "file")
            let run = try await waybill("run", "manifest.yaml", "--no-color")
            #expect(run.status == 0, "\(run.errorText)")
            let output = run.outputText + run.errorText
            let words = "could not write to the cache in '"
            #expect(output.ranges(of: words).count == 1, "\(output)")
        }
    }
}
