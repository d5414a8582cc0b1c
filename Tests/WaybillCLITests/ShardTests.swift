import Testing
import WaybillTestSupport

/// Runs that are divided into shards and merged.
@Suite(.timeLimit(.minutes(10))) struct ShardRunTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    /// Runs the program, and expects that it succeeds.
    private func passing(_ arguments: String..., location: SourceLocation = #_sourceLocation) async throws {
        let command = try await Command.run(CommandCase.program, arguments, in: folder.path)
        #expect(command.status == 0, "\(command.errorText)\(command.outputText)", sourceLocation: location)
    }

    /// Writes a manifest with one sharded step.
    private func manifest(elements: String = "range(7)", write: String, after: String = "", before: String = "") {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                chain:
                  \(before.isEmpty ? "" : "- \(before)")
                  - id: items
                    forEach: {in: \(elements), as: n, shard: true}
                    get: /${n}
                    mock: {body: {v: é}}
                    outputs: {v: $.v}
                    write: \(write)
                  \(after.isEmpty ? "" : "- \(after)")
                outputs: {written: steps.items.written, all: "steps.items.items[*].item"}
            """,
            to: "m.yaml"
        )
    }

    private func runShards(_ count: Int) async throws -> [String] {
        var folders: [String] = []
        for number in 1...count {
            try await passing(
                "run",
                "m.yaml",
                "--mock",
                "--quiet",
                "--shard",
                "\(number)/\(count)",
                "--out",
                "s/\(number)"
            )
            folders.append("s/\(number)")
        }
        return folders
    }

    private func merge(_ folders: [String], to target: String) async throws -> Command {
        try await Command.run(CommandCase.program, ["merge", "--out", target, "--quiet"] + folders, in: folder.path)
    }

    private func bytes(_ path: String) -> [UInt8]? { TemporaryFolder.contents(of: "\(folder.path)/\(path)") }

    @Test(
        arguments: [
            ("all.ndjson", "columns: [{id: n}, {w: $.v}]"),
            ("all.ndjson", "columns: [{id: n}], aggregate: {a: {sum: n}, b: {first: n}, c: {last: n}, d: {min: n}}"),
            ("all.json", "columns: [{id: n}, {w: $.v}]"),
            ("a/all.csv", "columns: [{id: n}, {w: $.v}]"),
            ("all.csv", "records: 'list($, $)'"),
            ("all.csv.gz", "columns: [{id: n}]"),
            ("all.json.gz", "columns: [{id: n}]"),
            ("all.txt", "records: $.v"),
            ("all.sqlite", "table: t, key: [id], columns: [{id: n}, {w: $.v}]"),
            ("all.csv", "aggregate: {a: {sum: n}}}, {to: b.sqlite, table: t, key: [id], columns: [{id: n}]"),
        ],
        [("range(7)", 3), ("range(0)", 2), ("list(1, 2)", 5)]
    )
    func `merged shards have the same files as one run, and merging again gives the same bytes`(
        file: (name: String, rest: String),
        elements: (list: String, shards: Int)
    ) async throws {
        manifest(elements: "\"\(elements.list)\"", write: "[{to: \(file.name), \(file.rest)}]")
        try await passing("run", "m.yaml", "--mock", "--quiet", "--out", "whole")
        let shards = try await runShards(elements.shards)
        for target in ["one", "two"] {
            let merged = try await merge(target == "one" ? shards : shards.reversed(), to: target)
            #expect(merged.status == 0, "\(merged.errorText)")
        }
        for name in [file.name, "outputs.json"] {
            #expect(bytes("whole/\(name)") == bytes("one/\(name)") && bytes("one/\(name)") != nil)
        }
        for name in [file.name, "outputs.json", "run.json", "events.ndjson", "sources.json"] {
            #expect(bytes("one/\(name)") == bytes("two/\(name)") && bytes("one/\(name)") != nil)
        }
        #expect(folder.names(in: "one").isSubset(of: folder.names(in: "whole")))
    }

    @Test func `shards in the results folder are merged by their names`() async throws {
        manifest(write: "{to: all.csv, columns: [{id: n}]}")
        for (shard, name) in [("1/2", "first"), ("2/2", "second")] {
            let out = "waybill-results/\(name)"
            try await passing("run", "m.yaml", "--mock", "--quiet", "--shard", shard, "--out", out)
        }
        try await passing("merge", "first", "waybill-results/second", "--out", "all", "--quiet")
        #expect(folder.read("all/all.csv") == "id\r\n" + (0..<7).map { "\($0)\r\n" }.joined())
    }

    @Test func `a shard that was killed is continued by the same command`() async throws {
        manifest(elements: "range(12)", write: "{to: all.csv, columns: [{id: n}]}")
        try await passing("run", "m.yaml", "--mock", "--quiet", "--out", "whole")
        let shards = try await runShards(2)
        let journal = try #require(folder.read("s/2/events.ndjson"))
        let lines = journal.split(separator: "\n", omittingEmptySubsequences: false)
        for kept in stride(from: 1, to: lines.count - 1, by: 3) {
            folder.write(lines[..<kept].map { $0 + "\n" }.joined(), to: "s/2/events.ndjson")
            let refused = try await merge(shards, to: "merged")
            #expect(refused.status == 3)
            #expect(refused.errorText.contains("shard 2/2 in 's/2' has not finished"))
            for _ in 1...2 {
                try await passing("run", "m.yaml", "--mock", "--shard", "2/2", "--out", "s/2", "--resume")
            }
            let merged = try await merge(shards, to: "merged")
            #expect(merged.status == 0, "\(kept): \(merged.errorText)")
            #expect(bytes("merged/all.csv") == bytes("whole/all.csv"))
            #expect(bytes("merged/outputs.json") == bytes("whole/outputs.json"))
        }
    }

    @Test func `a run in three phases sends each unsafe request once`() async throws {
        manifest(
            write: "{to: all.ndjson, columns: [{id: n}]}",
            after: "{id: report, post: /report, mock: {}, body: {json: {n: \"${steps.items.written.records}\"}}}",
            before: "{id: create, post: /create, mock: {}}"
        )
        let refused = try await waybill("run", "m.yaml", "--mock", "--shard", "1/2", "--out", "x")
        #expect(refused.status == 2)
        #expect(refused.errorText.contains("m.yaml:6:22"))
        #expect(refused.errorText.contains("step 'main.create' would run in every shard: its request is a POST"))
        try await passing("run", "m.yaml", "--mock", "--phase", "before", "--out", "before")
        for number in 1...2 {
            try await passing("resume", "./before", "--shard", "\(number)/2", "--out", "s/\(number)")
            // A job that is started again changes nothing.
            try await passing("resume", "./before", "--shard", "\(number)/2", "--out", "s/\(number)")
        }
        let other = try await waybill("resume", "./before", "--shard", "2/2", "--out", "s/1")
        #expect(other.errorText.contains("'s/1' already has another run"))
        let merged = try await waybill("merge", "s/1", "s/2", "--out", "merged")
        #expect(
            merged.outputText.contains("merged 2 shards in merged; 'waybill resume merged' runs the steps after them")
        )
        try await passing("resume", "./merged")
        let events = try #require(folder.read("merged/events.ndjson"))
        #expect(events.split(separator: "\n").count { $0.contains("request.willSend") && $0.contains("POST") } == 2)
        #expect(folder.read("merged/run.json")?.contains("\"outcome\": \"passed\"") ?? false)
    }

    @Test func `shards that do not belong together or are incomplete are named`() async throws {
        manifest(write: "{to: all.ndjson}")
        let shards = try await runShards(3)
        func message(_ folders: [String]) async throws -> String {
            let command = try await merge(folders, to: "merged")
            #expect(command.status == 3)
            #expect(folder.names(in: "merged").isEmpty)
            return command.errorText
        }
        #expect(try await message([shards[0]]).contains("shards are missing: 2/3, 3/3"))
        #expect(try await message(shards + [shards[1]]).contains("'s/2' and 's/2' are both shard 2/3"))
        #expect(try await message(shards + ["s/4"]).contains("s/4"))
        try await passing("run", "m.yaml", "--mock", "--out", "s/whole")
        #expect(try await message(shards + ["s/whole"]).contains("'s/whole' is not a shard"))
        manifest(elements: "range(8)", write: "{to: all.ndjson}")
        try await passing("run", "m.yaml", "--mock", "--shard", "3/3", "--out", "s/other")
        let other = try await message(Array(shards.prefix(2)) + ["s/other"])
        #expect(other.contains("'s/1' and 's/other' are not shards of one run: they have different manifests"))
    }

    @Test func `shards with different lists are not merged`() async throws {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            data: {ids: {file: ids.json}}
            graphs: {main: {chain: [{get: "/${id}", forEach: {in: data.ids, as: id, shard: true}, mock: {}}]}}
            """,
            to: "m.yaml"
        )
        for (number, ids) in [(1, "[1, 2, 3]"), (2, "[1, 2, 3, 4]"), (3, "[1, 2, 4]")] {
            folder.write(ids, to: "ids.json")
            let shard = "\(min(number, 2))/2"
            try await passing("run", "m.yaml", "--mock", "--quiet", "--shard", shard, "--out", "s/\(number)")
        }
        folder.write("[1, 2, 3]", to: "ids.json")
        for other in ["s/2", "s/3"] {
            let merged = try await merge(["s/1", other], to: "merged")
            #expect(merged.status == 3)
            #expect(merged.errorText.contains("has different lists in 's/1' (3 elements) and '\(other)'"))
            #expect(merged.errorText.contains("--phase before"))
            #expect(!folder.names(in: "merged").contains("events.ndjson"))
        }
    }

    @Test func `another machine can continue a shard with its folder alone`() async throws {
        folder.write(
            """
            waybill: 1
            include: [parts/service.yaml]
            data: {rows: {file: rows.csv}}
            graphs:
              main:
                chain:
                  - get: /${row.id}
                    forEach: {in: data.rows, as: row, shard: true}
                    expect: {schema: parts/item.json}
                    mock: {body: {}}
                    write: {to: all.csv, columns: [{id: row.id}]}
            """,
            to: "here/m.yaml"
        )
        folder.write("waybill: 1\nservices: {s: {baseURL: \"http://127.0.0.1:9\"}}\n", to: "here/parts/service.yaml")
        folder.write("{\"type\": \"object\"}", to: "here/parts/item.json")
        folder.write("id\n1\n2\n3\n4\n5\n", to: "here/rows.csv")
        try await passing("run", "here/m.yaml", "--mock", "--quiet", "--out", "whole")
        for number in 1...2 {
            let (shard, out) = ("\(number)/2", "there/\(number)")
            try await passing("run", "here/m.yaml", "--mock", "--quiet", "--shard", shard, "--out", out)
        }
        let lines = try #require(folder.read("there/2/events.ndjson")).split(separator: "\n")
        folder.write(lines.prefix(7).map { $0 + "\n" }.joined(), to: "there/2/events.ndjson")
        for arguments in [["resume", "./2"], ["merge", "1", "2", "--out", "all"]] {
            let command = try await Command.run(CommandCase.program, arguments, in: "\(folder.path)/there")
            #expect(command.status == 0, "\(command.errorText)")
        }
        #expect(bytes("there/all/all.csv") == bytes("whole/all.csv") && bytes("whole/all.csv") != nil)
    }

    @Test func `downloads of all shards are in the merged folder, and different files at one path are not merged`()
        async throws
    {
        func manifest(_ path: String) {
            folder.write(
                """
                waybill: 1
                services: {s: {baseURL: "http://127.0.0.1:9"}}
                graphs:
                  main:
                    chain:
                      - forEach: {in: range(4), as: n, shard: true}
                        get: /${n}
                        mock: {headers: {Content-Type: text/plain}, body: "${request.url}"}
                        download: {to: "\(path)"}
                """,
                to: "m.yaml"
            )
        }
        manifest("files/${n}.txt")
        let merged = try await merge(try await runShards(2), to: "merged")
        #expect(merged.status == 0, "\(merged.errorText)")
        #expect(folder.names(in: "merged/files") == ["0.txt", "1.txt", "2.txt", "3.txt"])
    }

    @Test func `rates and connections are divided among the shards unless all have the full limits`() async throws {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9", rate: 40/s}}
            graphs: {main: {chain: [{get: "/${n}", forEach: {in: range(24), as: n, shard: true}, mock: {}}]}}
            """,
            to: "m.yaml"
        )
        func time(_ folder: String, _ options: String...) async throws -> Double {
            let start = ContinuousClock.now
            let command = try await Command.run(
                CommandCase.program,
                ["run", "m.yaml", "--mock", "-q", "--shard", "1/2", "--out", folder] + options,
                in: self.folder.path
            )
            #expect(command.status == 0, "\(command.errorText)")
            return (ContinuousClock.now - start) / .seconds(1)
        }
        // 12 requests at 20 a second start within at least 0.55 s; nothing limits how long a slow machine takes.
        #expect(try await time("a") > 0.5)
        let summary = try #require(folder.read("a/events.ndjson"))
        #expect(summary.contains("\"part\":{\"shard\":1,\"shards\":2}"))
        _ = try await time("b", "--full-limits")
        #expect(folder.read("b/events.ndjson")?.contains("\"fullLimits\":true") ?? false)
    }
}
