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
                get: /a
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
            #expect(!folder.names(in: "out").contains { $0.hasPrefix("b.db") })
            let resumed = try await waybill("resume", "out")
            #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
        }
        #expect(folder.read("out/a.ndjson") == "0\n1\n")
        #expect(try await query("SELECT count(*) FROM t", "out/b.db") == "400\n")
    }

    /// Runs the manifest, or resumes the run, while another process reads a database, and prints the status of the run.
    /// Once the run has locked `out/one.db`, the action is executed, and then the reader stops reading.
    private func run(
        _ command: String = "run",
        whileReading database: String,
        then action: String
    ) async throws -> Command {
        let script = """
            import os, sqlite3, subprocess, sys, time
            database = sqlite3.connect(sys.argv[2], isolation_level=None)
            database.execute("BEGIN"); database.execute("SELECT * FROM t").fetchall()
            command = [sys.argv[1]] + (["run", "m.yaml", "--out", "out"] if sys.argv[4] == "run" else ["resume", "out"])
            run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            def is_locked():
                try: sqlite3.connect("out/one.db", timeout=0).execute("SELECT * FROM t").fetchall()
                except sqlite3.OperationalError as error: return "locked" in str(error)
            start = time.time()
            while not is_locked() and run.poll() is None and time.time() - start < 20: time.sleep(0.01)
            exec(sys.argv[3])
            database.close()
            output = run.communicate()[0]
            print(run.returncode, "already replaced" in output)
            print(output, file=sys.stderr)
            """
        return try await Command.run(
            "/usr/bin/env",
            ["python3", "-c", script, CommandCase.program, database, action, command],
            in: folder.path
        )
    }

    /// A manifest with a step that writes a file and two tables. The databases exist, and have an older record.
    private func several(_ request: String, _ records: String, rest: String = "", server: LoopbackServer) async throws {
        manifest(
            """
            id: pull
            \(request)
            write:
              - {to: a.csv, records: \(records), columns: [id]}
              - {to: one.db, table: t, key: [id], records: \(records)}
              - {to: two.db, table: t, key: [id], records: \(records)}
            """,
            server: server,
            rest: rest
        )
        folder.write("", to: "out/x")
        for file in ["one", "two"] {
            _ = try await query(
                "CREATE TABLE t (id PRIMARY KEY, run); INSERT INTO t VALUES (0, 'old')",
                "out/\(file).db"
            )
        }
    }

    @Test(arguments: [
        (
            "post: /items\noutputs: {n: $.next}", "$.items",
            "      - id: v\n        values: {n: \"steps.pull.outputs.n\"}\n        expect: {json: {n: 2}}"
        ),
        ("post: /items\nonFailure: continue", "$.items", ""),
        ("get: /items\npaginate: {cursor: {query: page, from: $.next}, items: $.items}", "$", ""),
        ("post: /items\nforEach: {in: [1, 2], as: n}\nquery: {page: \"${n}\"}", "$.items", ""),
        (
            "post: /items\nforEach: {in: [1, 2], as: n}\nonFailure: continue\nquery: {page: \"${n}\"}",
            "$.items", ""
        ),
    ])
    func `a run that ended between two commits is completed without another request`(
        request: String,
        records: String,
        check: String
    ) async throws {
        try await LoopbackServer.run(answer: Self.page) { server in
            try await several("\(request)\ndeadline: 3s", records, rest: check, server: server)
            // The path of the file becomes that of a folder after everything was checked.
            let failed = try await run(whileReading: "out/two.db", then: "os.mkdir('out/a.csv')")
            #expect(failed.outputText == "3 True\n", "\(failed.outputText)\(failed.errorText)")
            let sent = server.requests.count
            #expect(sent > 0)
            // As if the process had been killed before it noticed.
            let journal = try #require(folder.read("out/events.ndjson")).split(separator: "\n")
            let intent = try #require(journal.lastIndex { $0.contains("\"write.committing\"") })
            folder.write(journal[...intent].map { $0 + "\n" }.joined(), to: "out/events.ndjson")
            _ = try await Command.run("/usr/bin/env", ["rmdir", "\(folder.path)/out/a.csv"])
            // It never passes with only some of them, even where failures are tolerated.
            for _ in 0..<(request.contains("continue") ? 2 : 1) {
                let again = try await self.run("resume", whileReading: "out/two.db", then: "run.wait(30)")
                #expect(again.outputText == "3 False\n", "\(again.outputText)\(again.errorText)")
            }
            let resumed = try await waybill("resume", "out")
            #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
            #expect(server.requests.count == sent)
        }
        let ids = try await query("SELECT id FROM t WHERE id > 0", "out/one.db").split(separator: "\n").map(String.init)
        #expect(ids.count >= 2)
        #expect(folder.read("out/a.csv") == "id\r\n" + ids.map { "\($0)\r\n" }.joined())
        #expect(
            try await query("SELECT id FROM t WHERE id > 0", "out/two.db").split(separator: "\n").map(String.init)
                == ids
        )
        #expect(!folder.names(in: "out").contains { $0.hasSuffix(".part") })
    }

    @Test(arguments: [
        ("one.db", "post: /items\nonFailure: continue"), ("two.db", "post: /items\nonFailure: continue"),
        ("two.db", "post: /items\nforEach: {in: [1, 2], as: n}\nonFailure: continue\nquery: {page: \"${n}\"}"),
        ("two.db", "get: /items"),
    ])
    func `a deadline that passes while another process reads a database changes nothing`(
        database: String,
        request: String
    ) async throws {
        try await LoopbackServer.run(answer: Self.page) { server in
            try await several("\(request)\ndeadline: 2s", "$.items", server: server)
            let start = ContinuousClock.now
            let run = try await run(whileReading: "out/\(database)", then: "run.wait(30)")
            // 'onFailure' of a forEach is for its elements.
            let hasElements = request.contains("forEach")
            let isTolerated = request.contains("continue") && !hasElements
            #expect(run.outputText == (isTolerated ? "0 False\n" : "1 False\n"), "\(run.outputText)\(run.errorText)")
            #expect(.now - start < .seconds(9.9))
            #expect(try await query("SELECT * FROM t", "out/one.db") == "0|old\n")
            #expect(try await query("SELECT * FROM t", "out/two.db") == "0|old\n")
            let sent = server.requests.count
            _ = try await query("INSERT INTO t VALUES (1, 'newer')", "out/one.db")
            let resumed = try await waybill("resume", "out")
            #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
            // A run that passed has nothing to resume; elements that passed are not sent again, a failed request is.
            #expect(server.requests.count == sent + (isTolerated || hasElements ? 0 : 1))
            #expect(try await query("SELECT run FROM t WHERE id = 1", "out/one.db") == (isTolerated ? "newer\n" : "\n"))
        }
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
