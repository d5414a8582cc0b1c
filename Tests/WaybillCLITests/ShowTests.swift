import Synchronization
import Testing
import WaybillPlatform
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct ShowTests {
    @Test(arguments: [["show", ""], ["resume", ""], ["report", "", "--junit", "-"]])
    func `an empty name of a run is a usage error`(arguments: [String]) async throws {
        let folder = TemporaryFolder()
        let command = try await Command.run(CommandCase.program, arguments, in: folder.path)
        #expect(command.status == 64)
        #expect(command.errorText.contains("The name of the run must not be empty."))
    }

    @Test func `show prints every failed expectation, and the elements that failed`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            endpoints: {user: {path: /user, mock: {body: {id: 7, name: demo}}}}
            graphs:
              main:
                onFailure: collect
                chain:
                  - {id: one, call: user, expect: {body: [$.id == 8, {that: $.name == 'x', message: another name}]}}
                  - {id: each, forEach: {in: [7, 1], as: n, concurrency: 1}, call: user, expect: {body: [$.id == n]}}
            """,
            to: "manifest.yaml"
        )
        let run = try await Command.run(
            CommandCase.program,
            ["run", "--mock", "--out", "out", "manifest.yaml"],
            in: folder.path
        )
        #expect(run.status == 1, "\(run.errorText)")
        let shown = try await Command.run(CommandCase.program, ["show", "out"], in: folder.path)
        let lines = shown.outputText.normalized(port: nil).split(separator: "\n").map(String.init)
        #expect(
            lines.dropLast(2) == [
                "RUN  manifest.yaml (mock)  failed",
                "  ✗ main.one  GET http://127.0.0.1:9/user  200  N ms",
                "    error[expect]: 2 expectations failed",
                "     --> manifest.yaml:8:47",
                "      = note: '$.id == 8' is false: $.id is 7",
                "      = note: another name: '$.name == 'x'' is false: $.name is \"demo\"",
                "    response body, 22 bytes in out/bodies/main.one.json:",
                #"      {"id":7,"name":"demo"}"#,
                "  ✗ main.each  1 failed, 1 passed  N ms",
                "    response times: p50 N ms, p95 N ms, p99 N ms, max N ms of 2 responses",
                "    error[expect]: '$.id == n' is false: $.id is 7, n is 1",
                "     --> manifest.yaml:9:94",
                "    1 of 2 elements failed:",
                "      [1] 1, http://127.0.0.1:9/user: '$.id == n' is false: $.id is 7, n is 1",
                "    response body, 22 bytes in out/bodies/main.each[1].json:",
                #"      {"id":7,"name":"demo"}"#,
            ],
            "\(shown.outputText)"
        )
    }

    @Test func `a run that was killed has the steps and elements of its journal`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            endpoints: {user: {path: /user, mock: {body: {id: 7}}}}
            graphs:
              main:
                onFailure: collect
                chain:
                  - {id: one, call: user, expect: {body: [$.id == 8]}}
                  - {id: off, when: 1 == 2, call: user}
                  - {id: each, forEach: {in: [7, 1, 7, 7], as: n, concurrency: 1}, call: user, expect: {body: [$.id == n]}}
            """,
            to: "manifest.yaml"
        )
        let arguments = ["run", "--mock", "--out", "out", "manifest.yaml"]
        _ = try await Command.run(CommandCase.program, arguments, in: folder.path)
        let lines = try #require(folder.read("out/events.ndjson")).split(separator: "\n")
        let last = try #require(
            lines.firstIndex { $0.contains(#""element.finished""#) && $0.contains(#""element":1"#) }
        )
        folder.write(lines[...last].joined(separator: "\n") + "\n", to: "out/events.ndjson")
        folder.remove("out/run.json")
        let shown = try await Command.run(CommandCase.program, ["show", "out"], in: folder.path)
        #expect(
            shown.outputText.normalized(port: nil).split(separator: "\n").map(String.init).filter {
                !$0.hasPrefix("    ")
            }
                == [
                    "RUN  manifest.yaml (mock)  unfinished",
                    "  ✗ main.one  GET http://127.0.0.1:9/user  200  N ms",
                    "  - main.off  skipped",
                    "  … main.each  not finished, elements: 1 failed, 1 passed",
                    "waybill resume out continues it",
                ],
            "\(shown.outputText)\(shown.errorText)"
        )
        let element = try await Command.run(
            CommandCase.program,
            ["show", "out", "--step", "main.each[1]"],
            in: folder.path
        )
        #expect(element.outputText.contains("  ✗ main.each[1]  1, http://127.0.0.1:9/user"), "\(element.outputText)")
        let failed = try await Command.run(CommandCase.program, ["show", "out", "--failed"], in: folder.path)
        #expect(!failed.outputText.contains("main.off"))
        #expect(failed.outputText.contains("… main.each"))
    }

    @Test(arguments: [
        (#"{body: ["$.items[150].n == 7"]}"#, true), (#"{body: ["$.items[150].x == 7"]}"#, true),
        (#"{body: ["$.items[1].n == 7"]}"#, false), (#"{body: ["length($.items) == 7"]}"#, false),
    ])
    func `a long response is shown from the value that the failure is about`(expect: String, isLate: Bool) async throws
    {
        let folder = TemporaryFolder()
        let items = (0..<200).map { "{n: item\($0)}" }.joined(separator: ", ")
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs: {main: {chain: [{id: a, get: /a, mock: {body: {items: [\(items)]}}, expect: \(expect)}]}}
            """,
            to: "manifest.yaml"
        )
        let run = try await Command.run(CommandCase.program, ["run", "--mock", "manifest.yaml"], in: folder.path)
        #expect(run.status == 1)
        #expect(run.outputText.contains("\"item150\"") == isLate, "\(run.outputText)")
        #expect(run.outputText.contains("\"item1\"") == !isLate)
    }

    @Test func `bodies of all responses are kept and shown, without secrets`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            secrets: {key: {env: KEY}}
            services: {s: {baseURL: "http://127.0.0.1:9", session: {call: login}}}
            endpoints: {login: {path: /login, outputs: {token: $.token}, mock: {body: {token: "from-the-login"}}}}
            graphs:
              main:
                chain:
                  - {id: one, get: /one, headers: {X-Token: "${session.token}"}, mock: {body: {a: 1, key: "a-secret-key"}}}
                  - {id: key, get: "/?key=${secrets.key}", mock: {body: [1, 2]}}
                  - {id: text, get: /text, decoding: text, mock: {body: "line\\e[31m 1\\nline 2"}}
            """,
            to: "manifest.yaml"
        )
        func waybill(_ arguments: String...) async throws -> Command {
            try await Command.run(CommandCase.program, arguments, in: folder.path, variables: ["KEY": "a-secret-key"])
        }
        let run = try await waybill("run", "--mock", "--keep-bodies", "--out", "out", "manifest.yaml")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(folder.names(in: "out/bodies").count == 3)
        let shown = try await waybill("show", "./out", "--body")
        #expect(
            shown.outputText.contains(
                "response body, 19 bytes in ./out/bodies/main.one.json:\n      {\"a\":1,\"key\":\"***\"}\n"
            )
        )
        #expect(shown.outputText.contains("\n      line\u{FFFD}[31m 1\n      line 2\n"), "\(shown.outputText)")
        let one = try await waybill("show", "./out", "--body", "--step", "key")
        #expect(one.outputText.contains("[1,2]") && !one.outputText.contains("main.one"))
        #expect(try await waybill("show", "./out").outputText.contains("response body") == false)
    }

    @Test func `two runs are compared`() async throws {
        let folder = TemporaryFolder()
        func manifest(_ status: Int, _ id: String, count: Int, delay: String) {
            folder.write(
                """
                waybill: 1
                services: {s: {baseURL: "http://127.0.0.1:9"}}
                graphs:
                  main:
                    onFailure: collect
                    chain:
                      - {id: same, get: /same, mock: {}}
                      - {id: slow, get: /slow, mock: {delay: \(delay)}}
                      - {id: one, get: /one, mock: {status: \(status)}}
                      - {id: \(id), get: /two, mock: {}}
                    outputs: {count: "\(count)", same: "'x'"}
                """,
                to: "manifest.yaml"
            )
        }
        func waybill(_ arguments: String...) async throws -> Command {
            try await Command.run(CommandCase.program, arguments, in: folder.path)
        }
        manifest(200, "two", count: 1, delay: "0s")
        #expect(try await waybill("run", "--mock", "manifest.yaml").status == 0)
        let passed = try #require(folder.link(at: "waybill-results/latest"))
        manifest(500, "three", count: 2, delay: "700ms")
        #expect(try await waybill("run", "--mock", "manifest.yaml").status == 1)
        let shown = try await waybill("show", "latest", "--against", "latest-passed")
        let lines = shown.outputText.normalized(port: nil).split(separator: "\n")
        #expect(
            lines == [
                "manifest.yaml  RUN → RUN", "  passed (4 passed) → failed (1 failed, 3 passed), N ms → N ms",
                "  main.slow  N ms → N ms", "  main.one  passed 200 → failed 500: the status is 500, not 2xx",
                "  + main.three  passed 200", "  - main.two  passed 200", "  output main.count  1 → missing",
                "  output main.same  \"x\" → missing",
            ],
            "\(shown.outputText)"
        )
        let same = try await waybill("show", passed, "--against", passed)
        #expect(same.outputText.hasSuffix(" file or output of a graph differs; outputs of steps are not compared\n"))
        #expect(try await waybill("show", "latest", "--against", "nothing").status == 3)
        manifest(500, "two", count: 1, delay: "0s")
    }

    /// What follows a mocked request, and what two runs with the values 1 and 2 of one member differ in.
    private static let contents = [
        ("write: {to: x.ndjson}", "file x.ndjson  1 record, other content"),
        ("write: {to: x.ndjson.gz}", "file x.ndjson.gz  1 record, other content"),
        ("download: {to: f.bin}", "file f.bin  9 bytes, other content"),
        ("write: {to: x.sqlite, table: t, key: [v]}", "not compared: the content of x.sqlite, table t"),
        ("forEach: {in: [1], as: i}, download: {to: \"f${i}.bin\"}", "not compared: files of elements"),
    ]

    @Test(arguments: contents) func `show compares the content of files`(step: String, words: String) async throws {
        let value = Mutex(1)
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { _ in
            let body = Array("[{\"v\":\(value.withLock { $0 })}]".utf8)
            return ServerResponse(headers: [("Content-Type", "application/json")], body: body)
        }
        try await LoopbackServer.run(answer: answer) { server in
            let folder = TemporaryFolder()
            let url = server.url("/")
            folder.write("waybill: 1\ngraphs: {main: {chain: [{id: a, get: \"\(url)\", \(step)}]}}\n", to: "m.yaml")
            func compared(_ number: Int, to first: String?) async throws -> String {
                value.withLock { $0 = number }
                let run = try await Command.run(CommandCase.program, ["run", "m.yaml"], in: folder.path)
                #expect(run.status == 0, "\(run.errorText)")
                guard let first else { return "" }
                let arguments = ["show", "latest", "--against", first]
                return try await Command.run(CommandCase.program, arguments, in: folder.path).outputText
            }
            _ = try await compared(1, to: nil)
            let first = try #require(folder.link(at: "waybill-results/latest"))
            let (same, other) = (try await compared(1, to: first), try await compared(2, to: first))
            #expect(!same.contains("other content"), "\(same)")
            #expect(other.contains(words), "\(other)")
            #expect(same.contains("not compared:") == words.hasPrefix("not"), "\(same)")
        }
    }

    @Test func `show says whether an unfinished run is still running`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: a, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n",
            to: "manifest.yaml"
        )
        let arguments = ["run", "--mock", "--out", "out", "manifest.yaml"]
        #expect(try await Command.run(CommandCase.program, arguments, in: folder.path).status == 0)
        unlink("\(folder.path)/out/run.json")
        let lines = try #require(folder.read("out/events.ndjson")).split(separator: "\n").dropLast()
        folder.write(lines.joined(separator: "\n") + "\n", to: "out/events.ndjson")
        let journal = open("\(folder.path)/out/events.ndjson", O_RDWR)
        defer { close(journal) }
        func show() async throws -> String {
            try await Command.run(CommandCase.program, ["show", "out"], in: folder.path).outputText
        }
        #expect(try await show().hasSuffix("\nwaybill resume out continues it\n"))
        #expect(flock(journal, LOCK_EX | LOCK_NB) == 0)
        let text = try await show()
        #expect(
            text.contains("manifest.yaml (mock)  running\n") && text.hasSuffix("\nthe run is still running\n"),
            "\(text)"
        )
        let report = try await Command.run(CommandCase.program, ["report", "./out", "--tap", "-"], in: folder.path)
        #expect(report.status == 3)
        #expect(
            report.errorText.hasPrefix("error[run-error]: the run in './out' is still running\n"),
            "\(report.errorText)"
        )
    }

    @Test func `a damaged summary is reported, and resume writes it again`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: a, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n",
            to: "manifest.yaml"
        )
        func waybill(_ arguments: String...) async throws -> Command {
            try await Command.run(CommandCase.program, arguments, in: folder.path)
        }
        #expect(try await waybill("run", "--mock", "--out", "out", "manifest.yaml").status == 0)
        folder.write("{\"id\": ", to: "out/run.json")
        let message = "error[run-error]: './out/run.json' is damaged; 'waybill resume ./out' writes it again\n"
        for arguments in [["show", "./out"], ["report", "./out", "--tap", "-"]] {
            let result = try await Command.run(CommandCase.program, arguments, in: folder.path)
            #expect(result.status == 3)
            #expect(result.errorText.hasPrefix(message), "\(result.errorText)")
        }
        #expect(try await waybill("resume", "./out").status == 0)
        #expect(try await waybill("show", "./out").status == 0)
        // Without the journal, nothing can write it again.
        folder.write("{", to: "other/run.json")
        let other = try await waybill("show", "./other")
        #expect(other.errorText.hasPrefix("error[run-error]: './other/run.json' is damaged\n"), "\(other.errorText)")
    }
}
