import Testing
import WaybillPlatform
import WaybillTestSupport

/// The folders of shards and of merged runs: what is refused, and what can be repeated.
@Suite(.timeLimit(.minutes(10))) struct ShardFolderTests {
    private let folder = TemporaryFolder()

    private func waybill(_ line: String) async throws -> Command {
        try await Command.run(CommandCase.program, line.split(separator: " ").map(String.init), in: folder.path)
    }

    /// Runs the program, and expects that it succeeds.
    private func passing(_ line: String, location: SourceLocation = #_sourceLocation) async throws {
        let command = try await waybill(line)
        #expect(command.status == 0, "\(command.errorText)\(command.outputText)", sourceLocation: location)
    }

    /// Runs the program, and expects a message and a status.
    private func failing(
        _ line: String,
        _ message: String,
        status: Int = 3,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let command = try await waybill(line)
        #expect(command.status == status, "\(command.errorText)\(command.outputText)", sourceLocation: location)
        #expect(command.errorText.contains(message), "\(command.errorText)", sourceLocation: location)
    }

    private func bytes(_ path: String) -> [UInt8]? { TemporaryFolder.contents(of: "\(folder.path)/\(path)") }

    /// Writes a manifest whose sharded step downloads a file and writes a record for each of four elements.
    private func writeManifest(after: String = "", before: String = "", comment: String = "") {
        folder.write(
            """
            waybill: 1
            inputs: {day: {type: string, default: monday}}
            environments: {staging: {inputs: {day: tuesday}}}
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                chain:
                  \(before.isEmpty ? "" : "- \(before)")
                  - id: items   \(comment)
                    forEach: {in: range(4), as: n, shard: true}
                    batch:
                      - get: /${n}
                        mock: {headers: {Content-Type: text/plain}, body: "${inputs.day}"}
                        download: {to: "files/${n}.txt"}
                  - id: records
                    forEach: {in: range(4), as: n, shard: true}
                    get: /${n}
                    mock: {body: {n: 1}}
                    write: {to: all.json, columns: [{n: n}]}
                  \(after.isEmpty ? "" : "- \(after)")
            """,
            to: "m.yaml"
        )
    }

    private func runShards() async throws {
        for number in 1...2 { try await passing("run m.yaml --mock --quiet --shard \(number)/2 --out \(number)") }
    }

    @Test func `a shard whose start was stopped after its run was copied is resumed as that shard`() async throws {
        writeManifest()
        try await passing("run m.yaml --mock --quiet --phase before --out before")
        let manifest = try #require(folder.read("m.yaml"))
        // The run is copied before the manifest is read.
        folder.write("waybill: 1\n:", to: "m.yaml")
        try await failing("resume ./before --shard 1/2 --out 1", "m.yaml", status: 2)
        folder.write(manifest, to: "m.yaml")
        try await failing("resume ./before --shard 2/2 --out 1", "already has another run, and not shard 2/2")
        try await passing("resume ./1")
        #expect(bytes("1/files/0.txt") != nil || bytes("1/files/1.txt") != nil)
        try await passing("resume ./before --shard 2/2 --out 2")
        try await passing("merge 1 2 --out merged")
        #expect(folder.names(in: "merged/files") == ["0.txt", "1.txt", "2.txt", "3.txt"])
    }

    @Test func `a merge that could not be completed can be repeated`() async throws {
        writeManifest()
        try await passing("run m.yaml --mock --quiet --out whole")
        try await runShards()
        // A constant path is checked before anything is merged.
        folder.write("", to: "merged/all.json/obstacle")
        try await failing("merge 1 2 --out merged", "all.json' cannot be written: it is a folder", status: 2)
        for name in ["files/2.txt", "files/3.txt"] {
            folder.remove("merged")
            folder.write("", to: "merged/\(name)/obstacle")
            try await failing("merge 1 2 --out merged", name)
            // What is there is not a run.
            for command in ["resume ./merged", "run m.yaml --mock --out merged --resume"] {
                try await failing(command, "has not finished; repeat it with 'waybill merge'")
            }
            folder.remove("merged/\(name)")
            try await passing("merge 1 2 --out merged")
            #expect(bytes("merged/all.json") == bytes("whole/all.json") && bytes("whole/all.json") != nil)
            #expect(folder.names(in: "merged") == folder.names(in: "whole"))
        }
    }

    @Test func `a merge does not replace a run in which the steps after the shards have started`() async throws {
        writeManifest(after: "{id: report, post: /report, mock: {}}")
        try await runShards()
        try await passing("merge 1 2 --out merged")
        try await passing("merge 1 2 --out merged")
        try await passing("resume ./merged")
        let journal = bytes("merged/events.ndjson")
        try await failing("merge 1 2 --out merged", "have started in 'merged', such as 'main.report'")
        #expect(bytes("merged/events.ndjson") == journal)
        try await failing(
            "merge 1 2 --out other --report markdown=r.md",
            "give --report and --min-coverage to 'waybill resume other'",
            status: 64
        )
    }

    @Test func `a missing or changed file of a shard is named`() async throws {
        writeManifest()
        try await runShards()
        let file = try #require(folder.read("2/files/2.txt"))
        folder.write("longer", to: "2/files/2.txt")
        try await failing("merge 1 2 --out merged", "'2/files/2.txt' has 6 bytes; the journal of its run says")
        folder.remove("2/files/2.txt")
        try await failing("merge 1 2 --out merged", "'2/files/2.txt' is missing")
        folder.write(file, to: "2/files/2.txt")
        folder.write("[0, 1]", to: "1/all.json.part")
        try await failing("merge 1 2 --out merged", "'1/all.json.part' has 6 bytes")
        try await passing("run m.yaml --mock --quiet --shard 1/2 --out 1")
        let part = try #require(bytes("2/all.json.part"))
        folder.write(part.prefix(part.count - 3) + [0, 0, 0], to: "2/all.json.part")
        try await failing(
            "merge 1 2 --out merged",
            "'2/all.json.part' has other content than the journal of its run says"
        )
        #expect(folder.names(in: "merged").isEmpty)
    }

    @Test func `a file of the same size with other content is not merged`() async throws {
        writeManifest(before: "{id: list, get: /l, mock: {body: [1]}, write: {to: list.csv}}")
        try await runShards()
        for name in ["1/files/0.txt", "2/files/3.txt", "1/list.csv"] {
            let content = try #require(bytes(name))
            folder.write([content[0] ^ 1] + content.dropFirst(), to: name)
            try await failing("merge 1 2 --out merged", "'\(name)' has other content than the journal of its run says")
            folder.write(content, to: name)
        }
        #expect(folder.names(in: "merged").isEmpty)
        try await passing("merge 1 2 --out merged")
    }

    @Test(arguments: ["events.ndjson", "sources.json"])
    func `a file of a shard that is a link to another folder is not merged`(name: String) async throws {
        writeManifest()
        try await runShards()
        #expect(rename("\(folder.path)/2/\(name)", "\(folder.path)/elsewhere.json") == 0)
        #expect(symlink("../elsewhere.json", "\(folder.path)/2/\(name)") == 0)
        let message = name == "events.ndjson" ? "symbolic link" : "are not shards of one run"
        try await failing("merge 2 1 --out merged", message)
        #expect(bytes("merged/run.json") == nil)
        guard name == "events.ndjson" else { return }
        try await failing("resume ./2", "symbolic link")
        try await failing("report ./2 --har report.har", "symbolic link")
    }

    @Test func `files in the folder of a shard that its run has not written are not merged`() async throws {
        writeManifest()
        try await runShards()
        for number in 1...2 { folder.write("\(number)", to: "\(number)/junit.xml") }
        folder.write("", to: "2/files/3.txt.part.x")
        try await passing("merge 1 2 --out merged")
        #expect(folder.names(in: "merged/files") == ["0.txt", "1.txt", "2.txt", "3.txt"])
        #expect(!folder.names(in: "merged").contains("junit.xml"))
    }

    @Test func `a run is continued only with its own inputs and environment`() async throws {
        writeManifest()
        try await passing("run m.yaml --mock --quiet --shard 1/2 --out 1 --input day=friday")
        try await passing("run m.yaml --mock --quiet --shard 1/2 --out 1 --input day=friday --resume")
        try await failing(
            "run m.yaml --mock --shard 1/2 --out 1 --env staging --resume",
            "was started with another environment"
        )
        // A passed run is compared as well.
        try await failing("run m.yaml --mock --shard 1/2 --out 1 --input day=x --resume", "another value", status: 2)
        try await failing(
            "resume ./1 --input day=x",
            "the run was started with another value for input 'day'",
            status: 2
        )
    }

    @Test func `a mocked run is not continued or merged with a real one, nor with another selection`() async throws {
        writeManifest()
        try await passing("run m.yaml --mock --quiet --shard 1/2 --out 1")
        try await failing("run m.yaml --quiet --shard 1/2 --out 1 --resume", "was started with --mock")
        _ = try await waybill("run m.yaml --quiet --shard 2/2 --out 2")
        try await failing("run m.yaml --shard 2/2 --out 2 --resume --mock", "was started with no --mock")
        try await failing("merge 1 2 --out merged", "only one of '1' and '2' was run with the mock server")
        try await passing("run m.yaml --mock --quiet --out part --only records")
        try await failing("run m.yaml --mock --out part --resume", "with another --only, --tag or --not-tag")
        try await failing("run m.yaml --mock --out 1 --resume", "was started with another --shard")
    }

    @Test func `a run that was killed before its first line starts over`() async throws {
        writeManifest()
        for start in ["", "{\"seq\":1,\"at\":\"20"] {
            folder.write(start, to: "1/events.ndjson")
            try await passing("run m.yaml --mock --quiet --shard 1/2 --out 1 --resume")
            folder.remove("1")
        }
    }

    @Test func `the run before the shards is not overwritten by a shard or a merge`() async throws {
        writeManifest(before: "{id: create, post: /create, mock: {}}")
        try await passing("run m.yaml --mock --quiet --phase before --out before")
        try await failing("resume ./before --shard 1/2 --out before", "is in the folder of the run before the shards")
        try await failing("resume ./before --shard 1/2 --out before/x", "is in the folder of the run before the shards")
        for number in 1...2 { try await passing("resume ./before --shard \(number)/2 --out \(number)") }
        try await failing("merge 1 2 --out before", "'before' has another run, of the steps before the shards")
        try await passing("run m.yaml --mock --quiet --phase before --out other")
        try await passing("resume ./other --shard 2/2 --out other2")
        try await failing("merge 1 other2 --out merged", "they have different runs of the steps before them")
    }

    @Test func `a shard is named as such wherever its run is listed`() async throws {
        writeManifest()
        try await passing("run m.yaml --mock --quiet --shard 1/2 --report junit=j.xml,markdown=m.md,html=h.html")
        #expect(folder.read("j.xml")?.contains("<property name=\"part\" value=\"shard 1/2\"/>") ?? false)
        let heading = try #require(folder.read("m.md")?.split(separator: "\n").first)
        #expect(heading.hasSuffix(" s, shard 1/2, on the mock server"))
        #expect(folder.read("h.html")?.contains("<dt>Part</dt><dd>shard 1/2</dd>") ?? false)
        #expect(try await waybill("show latest").outputText.contains("m.yaml (shard 1/2) (mock)  passed"))
        #expect(try await waybill("runs").outputText.contains("m.yaml (shard 1/2)"))
    }

    @Test func `a secret that the shards would not find is reported before anything is sent`() async throws {
        func writeManifest(_ login: String, isSecret: Bool) {
            folder.write(
                """
                waybill: 1
                services: {s: {baseURL: "http://127.0.0.1:9"}}
                graphs:
                  main:
                    chain:
                      - id: login
                        \(login): /login
                        outputs: {token: {value: $.t, secret: \(isSecret)}}
                        mock: {body: {t: abcdefgh}}
                      - id: list
                        get: /list
                        headers: {X-Token: "${steps.login.outputs.token}"}
                        mock: {}
                      - forEach: {in: range(4), as: n, shard: true}
                        get: /${n}
                        headers: {X-Token: "${steps.login.outputs.token}"}
                        mock: {}
                """,
                to: "m.yaml"
            )
        }
        writeManifest("post", isSecret: true)
        let command = "run m.yaml --mock --quiet --phase before --out before"
        try await failing(command, "the shards use a secret output of this step", status: 2)
        #expect(folder.names() == ["m.yaml"])
        for (login, isSecret) in [("post", false), ("get", true)] {
            writeManifest(login, isSecret: isSecret)
            try await passing(command)
            try await passing("resume ./before --shard 1/2 --out 1 --quiet")
            folder.remove("1")
        }
    }

    @Test func `a comment in the manifest does not separate shards`() async throws {
        writeManifest()
        try await passing("run m.yaml --mock --quiet --shard 1/2 --out 1")
        writeManifest(comment: "# a comment")
        try await passing("run m.yaml --mock --quiet --shard 2/2 --out 2")
        try await passing("merge 1 2 --out merged")
    }

    @Test func `sessions of the steps before are in the merged journal once`() async throws {
        folder.write(
            """
            waybill: 1
            services:
              s:
                baseURL: http://127.0.0.1:9
                session: {call: login}
                auth: {bearer: "${session.t}"}
            endpoints:
              login:
                method: POST
                path: /login
                auth: none
                outputs: {t: {value: $.t, secret: true}}
                mock: {body: {t: x}}
            graphs:
              main:
                chain:
                  - {id: create, post: /create, mock: {}}
                  - {forEach: {in: range(4), as: n, shard: true}, get: "/${n}", mock: {}}
            """,
            to: "m.yaml"
        )
        try await passing("run m.yaml --mock --quiet --phase before --out before")
        for number in 1...2 { try await passing("resume ./before --shard \(number)/2 --out \(number)") }
        try await passing("merge 1 2 --out merged")
        func logins(_ path: String) -> Int {
            folder.read("\(path)/events.ndjson")?.split(separator: "\n")
                .count { $0.contains("\"step\":\"session.s\"") && $0.contains("step.finished") } ?? 0
        }
        #expect(logins("before") == 1)
        #expect(logins("merged") == logins("1") + logins("2") - 1)
    }

    @Test func `a file that contains the value of a secret is not kept with a shard`() async throws {
        folder.write(
            """
            waybill: 1
            secrets: {key: {env: KEY_OF_THE_TEST}}
            data: {ids: {file: ids.csv}, other: {file: other.csv}}
            services: {s: {baseURL: "http://127.0.0.1:9", headers: {X-Key: "${secrets.key}"}}}
            graphs: {main: {chain: [{forEach: {in: data.ids, as: n, shard: true}, get: "/${n.a}", mock: {}}]}}
            """,
            to: "m.yaml"
        )
        folder.write("a\n1\nhunter2-and-more\n", to: "ids.csv")
        folder.write("a\n1\n", to: "other.csv")
        let secret = ["KEY_OF_THE_TEST": "hunter2-and-more"]
        for number in 1...2 {
            let arguments = ["run", "m.yaml", "--mock", "--quiet", "--shard", "\(number)/2", "--out", "\(number)"]
            let run = try await Command.run(CommandCase.program, arguments, in: folder.path, variables: secret)
            #expect(run.status == 0, "\(run.errorText)")
        }
        // The merge does not have the secret.
        try await passing("merge 1 2 --out merged")
        for path in ["1", "2", "merged"] {
            let sources = try #require(folder.read("\(path)/sources.json"))
            #expect(!sources.contains("hunter2") && sources.contains("KEY_OF_THE_TEST"))
        }
    }
}
