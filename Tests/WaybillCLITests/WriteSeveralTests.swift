import Testing
import WaybillFormats
import WaybillJSON
import WaybillPlatform
import WaybillTestSupport

/// Steps with several entries of `write`, whose files and tables are all replaced, or none.
@Suite(.timeLimit(.minutes(5))) struct WriteSeveralTests {
    private let folder = TemporaryFolder()

    /// A page of two items, `{id, run, long}`, and the number of the next page, of which there are three.
    @Sendable private static func page(_ request: ReceivedRequest) -> ServerResponse {
        let query = request.target.split(separator: "?").last?.split(separator: "&") ?? []
        func value(_ name: String) -> String? {
            query.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let page = value("page").flatMap { Int($0) } ?? 1
        let items = [2 * page - 1, 2 * page].map { "{\"id\":\($0),\"run\":\"\(value("run") ?? "")\"}" }
        let body = "{\"items\":[\(items.joined(separator: ","))],\"next\":\(page < 3 ? "\(page + 1)" : "null")}"
        return ServerResponse(headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    }

    private func manifest(_ step: String, server: LoopbackServer, rest: String = "") {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))"}}
            inputs: {run: string?}
            graphs:
              main:
                chain:
                  - \(step.replacing("\n", with: "\n        "))
            \(rest)
            """,
            to: "m.yaml"
        )
    }

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    private func query(_ sql: String, _ file: String) async throws -> String {
        try await Command.run("/usr/bin/env", ["sqlite3", "\(folder.path)/\(file)", sql]).outputText
    }

    @Test func `one pull of all pages fills files and tables`() async throws {
        try await LoopbackServer.run(answer: Self.page) { server in
            manifest(
                """
                id: pull
                get: /items
                paginate: {cursor: {query: page, from: $.next}, items: $.items}
                write:
                  - {to: all.ndjson, columns: [id]}
                  - {to: sub/ids.csv, columns: [{double: item.id * 2}], aggregate: {sum: {sum: item.id}}, expect: [sum == 21]}
                  - {to: all.db, table: items, key: [id], expect: [records == 6]}
                  - {to: all.db, table: last, key: [id], records: "$[-1:]"}
                  - {to: packed.json.gz, columns: [id]}
                """,
                server: server,
                rest: """
                        outputs:
                          sum: steps.pull.written[1].sum
                          tables: "steps.pull.written[*].table"
                          records: "steps.pull.written[*].records"
                    """
            )
            let run = try await waybill("run", "m.yaml", "--out", "out")
            #expect(run.status == 0, "\(run.outputText)\(run.errorText)")
            #expect(server.requests.count == 3)
        }
        #expect(folder.read("out/all.ndjson") == (1...6).map { "{\"id\":\($0)}\n" }.joined())
        #expect(folder.read("out/sub/ids.csv") == "double\r\n2\r\n4\r\n6\r\n8\r\n10\r\n12\r\n")
        #expect(try await query("SELECT count(*), sum(id) FROM items", "out/all.db") == "6|21\n")
        #expect(try await query("SELECT id FROM last", "out/all.db") == "2\n4\n6\n")
        let plain = try await Command.run("/usr/bin/env", ["gzip", "-dc", "\(folder.path)/out/packed.json.gz"])
        #expect(try JSONParser().parse(Array(plain.outputText.utf8)).array?.count == 6)
        let outputs = try JSONParser().parse(Array(try #require(folder.read("out/outputs.json")).utf8))
        #expect(outputs["main"] == ["sum": 21, "tables": ["items", "last"], "records": [6, 6, 6, 3, 6]])
        #expect(!folder.names(in: "out").contains { $0.hasSuffix(".part") })
    }

    @Test(arguments: [
        ("{to: kept/b.csv, expect: [records > 100]}", "records > 100"),
        // The columns are those of the first record.
        ("{to: kept/b.csv, records: \"list($[0], $)\"}", "the columns are the members of the first record"),
        ("{to: kept/b.db, table: t, key: [none]}", "a record has no value for 'none'"),
        ("{to: kept/text.db, table: t, key: [id]}", "text.db' is not an SQLite database"),
        ("{to: kept/check.db, table: t, key: [id]}", "CHECK constraint failed"),
    ])
    func `if one of them cannot be replaced, none is`(entry: String, message: String) async throws {
        folder.write("old\n", to: "kept/a.ndjson")
        folder.write("not a database", to: "kept/text.db")
        _ = try await query("CREATE TABLE t (id PRIMARY KEY, run); INSERT INTO t VALUES (0, 'old')", "kept/c.db")
        _ = try await query("CREATE TABLE t (id PRIMARY KEY, run CHECK (id < 2))", "kept/check.db")
        try await LoopbackServer.run(answer: Self.page) { server in
            manifest(
                """
                get: /items
                paginate: {cursor: {query: page, from: $.next}, items: $.items}
                write:
                  - {to: kept/a.ndjson}
                  - \(entry)
                  - {to: kept/c.db, table: t, key: [id]}
                """.replacing("kept/", with: "\(folder.path)/kept/"),
                server: server
            )
            let run = try await waybill("run", "m.yaml", "--out", "out", "--allow-outside")
            #expect(run.status == 1, "\(run.errorText)")
            #expect((run.outputText + run.errorText).contains(message), "\(run.outputText)\(run.errorText)")
        }
        #expect(folder.read("kept/a.ndjson") == "old\n")
        #expect(try await query("SELECT * FROM t", "kept/c.db") == "0|old\n")
        #expect(try await query("SELECT count(*) FROM t", "kept/check.db") == "0\n")
        #expect(folder.read("kept/text.db") == "not a database")
        // The records remain for a resumed run, in one file.
        let parts = folder.names(in: "kept").filter { $0.contains(".part") }
        #expect(parts.count == 1 && parts.allSatisfy { $0.hasSuffix(".all-records.part") }, "\(parts)")
    }

    @Test func `if the disk is full when a table is committed, no file is replaced`() async throws {
        folder.write("old\n", to: "out/a.ndjson")
        let long = String(repeating: "x", count: 200)
        let body = "[\((0..<400).map { "{\"id\":\"\(long)\($0)\"}" }.joined(separator: ","))]"
        let json = [("Content-Type", "application/json")]
        try await LoopbackServer.run(answer: { _ in ServerResponse(headers: json, body: Array(body.utf8)) }) { server in
            manifest(
                """
                post: /a
                write: [{to: a.ndjson, records: "range(0, 2)"}, {to: b.db, table: t, key: [id]}]
                """,
                server: server
            )
            // The table has each key twice, so that only the database is larger than 128 KiB.
            let run = try await Command.run(
                "/bin/sh",
                ["-c", "ulimit -f 256; exec \"$0\" run --out out m.yaml", CommandCase.program],
                in: folder.path
            )
            #expect(run.status != 0 && run.status < 128, "\(run.outputText)\(run.errorText)")
            #expect((run.outputText + run.errorText).contains("out/b.db'"), "\(run.outputText)\(run.errorText)")
            #expect(folder.read("out/a.ndjson") == "old\n")
            #expect(folder.read("out/b.db") == nil)
            let resumed = try await waybill("resume", "out")
            #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
            #expect(server.requests.count == 1)
        }
        #expect(folder.read("out/a.ndjson") == "0\n1\n")
        #expect(try await query("SELECT count(*) FROM t", "out/b.db") == "400\n")
    }

    @Test(arguments: [
        ("post: /items", "$.items", "id: v\nvalues: {n: \"steps.pull.outputs.n\"}\nexpect: {json: {n: 2}}", "kill"),
        ("post: /items\nonFailure: continue", "$.items", "", "wait"),
        ("get: /items\npaginate: {cursor: {query: page, from: $.next}, items: $.items}", "$", "", "kill"),
        ("post: /items\nforEach: {in: [1, 2], as: n}\nquery: {page: \"${n}\"}", "$.items", "", "kill"),
    ])
    func `a run that ended between two commits is completed without another request`(
        request: String,
        records: String,
        check: String,
        end: String
    ) async throws {
        try await LoopbackServer.run(answer: Self.page) { server in
            let outputs = check.isEmpty ? "" : "outputs: {n: $.next}\n"
            manifest(
                """
                id: pull
                \(request)
                \(outputs)write:
                  - {to: a.csv, records: \(records), columns: [id]}
                  - {to: one.db, table: t, key: [id], records: \(records)}
                  - {to: two.db, table: t, key: [id], records: \(records)}
                """,
                server: server,
                rest: check.isEmpty ? "" : "      - " + check.replacing("\n", with: "\n        ")
            )
            folder.write("old\n", to: "out/a.csv")
            _ = try await query("CREATE TABLE t (id PRIMARY KEY, run); INSERT INTO t VALUES (0, 'old')", "out/two.db")
            // Whoever reads the second database delays its commit, but not the transaction before it.
            let script = """
                import os, sqlite3, subprocess, sys, time
                database = sqlite3.connect("out/two.db", isolation_level=None)
                database.execute("BEGIN"); database.execute("SELECT * FROM t").fetchall()
                command = [sys.argv[1], "run", "m.yaml", "--out", "out"]
                run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                def rows():
                    if not os.path.exists("out/one.db"): return 0
                    try: return sqlite3.connect("out/one.db").execute("SELECT count(*) FROM t").fetchone()[0]
                    except sqlite3.Error: return 0
                for _ in range(900):
                    if rows() > 0: break
                    time.sleep(0.01)
                if sys.argv[2] == "kill": run.kill()
                output = run.communicate()[0]
                print(run.returncode, "already replaced" in output, rows() > 0, database.execute("SELECT count(*) FROM t").fetchone()[0])
                """
            let killed = try await Command.run(
                "/usr/bin/env",
                ["python3", "-c", script, CommandCase.program, end],
                in: folder.path
            )
            #expect(
                killed.outputText == (end == "kill" ? "-9 False True 1\n" : "3 True True 1\n"),
                "\(killed.outputText)\(killed.errorText)"
            )
            #expect(folder.read("out/a.csv") == "old\n")
            let sent = server.requests.count
            #expect(sent > 0)
            let resumed = try await waybill("resume", "out")
            #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
            #expect(server.requests.count == sent)
        }
        let ids = try await query("SELECT id FROM t", "out/one.db").split(separator: "\n").map(String.init)
        #expect(folder.read("out/a.csv") == "id\r\n" + ids.map { "\($0)\r\n" }.joined())
        #expect(
            try await query("SELECT id FROM t WHERE id > 0", "out/two.db").split(separator: "\n").map(String.init)
                == ids
        )
        #expect(!folder.names(in: "out").contains { $0.hasSuffix(".part") })
    }

    @Test func `two runs that replace the same files at once do not mix them`() async throws {
        try await LoopbackServer.run(answer: Self.page) { server in
            let targets = ["a.csv", "a.db, table: t, key: [id]", "b.db, table: t, key: [id]", "b.ndjson"]
            let entries = targets.map { "{records: $.items, to: \(folder.path)/kept/\($0)}" }
            for (name, entries) in [("one", entries), ("two", entries.reversed())] {
                manifest(
                    """
                    get: /items
                    query: {run: "${inputs.run}"}
                    write: [\(entries.joined(separator: ", "))]
                    """,
                    server: server
                )
                folder.write(try #require(folder.read("m.yaml")), to: "\(name).yaml")
            }
            folder.write("", to: "kept/x")
            for round in 0..<6 {
                func run(_ name: String) async throws -> Command {
                    try await waybill(
                        "run",
                        "\(name).yaml",
                        "--out",
                        "out-\(name)",
                        "--allow-outside",
                        "--input",
                        "run=\(name)-\(round)"
                    )
                }
                async let first = run("one")
                async let second = run("two")
                for run in try await [first, second] { #expect(run.status == 0, "\(run.outputText)\(run.errorText)") }
                let winner = try await query("SELECT DISTINCT run FROM t", "kept/a.db")
                #expect(["one-\(round)\n", "two-\(round)\n"].contains(winner))
                #expect(try await query("SELECT DISTINCT run FROM t", "kept/b.db") == winner)
                let name = String(winner.dropLast())
                #expect(folder.read("kept/a.csv") == "id,run\r\n1,\(name)\r\n2,\(name)\r\n")
                let lines = [1, 2].map { "{\"id\":\($0),\"run\":\"\(name)\"}\n" }
                #expect(folder.read("kept/b.ndjson") == lines.joined())
            }
        }
        #expect(folder.names(in: "kept") == ["a.csv", "a.db", "b.db", "b.ndjson", "x"])
    }
}
