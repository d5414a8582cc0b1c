import Testing
import WaybillPlatform
import WaybillTestSupport

/// Files that a run would both read and replace, or write twice.
@Suite(.timeLimit(.minutes(5))) struct FileClashTests {
    private let folder = TemporaryFolder()

    private func waybill(_ line: String) async throws -> Command {
        try await Command.run(CommandCase.program, line.split(separator: " ").map(String.init), in: folder.path)
    }

    /// Writes a manifest that reads and writes files of each kind, and a step that writes one more.
    private func writeFiles(_ step: String) {
        folder.write(
            """
            waybill: 1
            include: [part.yaml]
            inputs: {n: {type: integer}}
            data: {rows: {file: a.rows.json}}
            services:
              s:
                baseURL: "http://127.0.0.1:9"
                auth: {netrc: netrc}
                cookies: {jar: jar.txt}
            graphs:
              main:
                state: {n: {default: 1, next: state.n}}
                chain:
                  - id: send
                    post: /send
                    body: {file: body.bin}
                    mock: {body: {}}
                    expect: {snapshot: snapshot.json, schema: schema.json}
                  - {id: data, values: {n: "data.rows[0]"}}
                  - \(step)
            """,
            to: "m.yaml"
        )
        for (name, text) in Self.files { folder.write(text, to: name) }
    }

    private static let files = [
        "part.yaml": "waybill: 1\n", "schema.json": "{\"type\": \"object\"}", "a.rows.json": "[1]",
        "netrc": "machine 127.0.0.1 login user password unused\n", "jar.txt": "", "body.bin": "body",
        "snapshot.json": "{}", "inputs.json": "{\"n\": 1}", "values.env": "A=1\n",
    ]
    private static let run = "run m.yaml --mock --quiet --inputs inputs.json --env-file values.env --state s.json"

    @Test(arguments: files.keys.sorted() + ["m.yaml", "s.json", "s.json.lock", "./link.json", "sub/../netrc"])
    func `no step replaces a file that the run reads or writes`(file: String) async throws {
        for step in ["download: {to: \"\(file)\"}", "write: {to: \"\(file)\", format: csv}"] {
            writeFiles("{id: rows, get: /rows, mock: {body: [{n: 1}]}, \(step)}")
            folder.write("", to: "sub/file")
            symlink("a.rows.json", "\(folder.path)/link.json")
            let content = folder.read(file)
            let refused = try await waybill("\(Self.run) --out . --allow-outside")
            #expect(refused.status == 2, "\(refused.outputText)\(refused.errorText)")
            #expect(refused.errorText.contains("error[same-file]: "), "\(refused.errorText)")
            #expect(folder.read(file) == content && folder.read("events.ndjson") == nil)
        }
    }

    @Test(arguments: ["write: {to: \"${'netrc'}\", format: csv}", "download: {to: \"${'netrc'}\"}"])
    func `a path that a step computes does not lead to such a file either`(target: String) async throws {
        writeFiles("{id: rows, get: /rows, mock: {body: [{n: 1}]}, \(target)}")
        let netrc = folder.read("netrc")
        let failed = try await waybill("\(Self.run) --out .")
        #expect(failed.status == 1, "\(failed.errorText)")
        let message = "'netrc' would replace a file that the run reads or writes itself"
        #expect(failed.outputText.contains(message), "\(failed.outputText)")
        #expect(folder.read("netrc") == netrc)
    }

    @Test(
        arguments: [
            ("write: [{to: real/a.csv}, {to: link/a.csv}]", "", "are the same file"),
            (
                "write: [{to: link/a, format: csv}, {to: real/a/b.csv}]", "",
                "would be both a file and a folder of 'real"
            ),
            ("write: {to: link/a.csv}", "download: {to: real/a.csv}", "are the same file"),
            ("when: run.id != 'a', write: {to: link/a.csv}", "download: {to: real/a.csv}", "are the same file"),
            ("write: {to: FOLDER/real/a.csv}", "write: {to: link/a.csv}", "are the same file"),
            (
                "write: {to: ../a, format: csv}", "write: {to: ../a/b.csv}",
                "'../a' would be both a file and a folder of"
            ),
            ("write: {to: link/a.db, table: a, key: [n]}", "write: {to: real/a.db, format: csv}", "are the same file"),
            // These are no clash, although they resemble one.
            ("write: [{to: link/a.db, table: a, key: [n]}, {to: real/a.db, table: b, key: [n]}]", "", nil),
            ("when: run.id == 'a', write: {to: link/a.csv}", "when: run.id != 'a', write: {to: real/a.csv}", nil),
            ("write: [{to: a.csv}, {to: a/b.csv}]", "write: {to: a.csv.d/b.csv}", nil),
        ] as [(String, String, String?)]
    )
    func `files that are one or a folder of another are an error before anything is sent`(
        first: String,
        second: String,
        message: String?
    ) async throws {
        folder.write("", to: "out/real/file")
        symlink("real", "\(folder.path)/out/link")
        let steps = [first, second].filter { !$0.isEmpty }.map { "      - {get: /rows, mock: {body: [{n: 1}]}, \($0)}" }
        writeFiles("{id: last, values: {n: 1}}")
        let manifest = try #require(folder.read("m.yaml")) + "\n" + steps.joined(separator: "\n")
        folder.write(manifest.replacing("FOLDER", with: "\(folder.path)/out"), to: "m.yaml")
        let ran = try await waybill("\(Self.run) --allow-outside --out out")
        #expect(ran.status == (message == nil ? 0 : 2), "\(ran.outputText)\(ran.errorText)")
        guard let message else { return }
        #expect(ran.errorText.contains("error[same-file]: ") && ran.errorText.contains(message), "\(ran.errorText)")
        #expect(folder.read("out/events.ndjson") == nil)
    }

    @Test(
        arguments: [
            "write: [{to: \"${'a'}\", format: csv}, {to: \"${'a/b.csv'}\"}]",
            "write: [{to: \"${'../a'}\", format: csv}, {to: \"../a/b.csv\"}]",
            "write: [{to: \"${'../a.csv'}\"}, {to: FOLDER/a.csv}]",
            "write: [{to: a.csv}, {to: a.csv.part/b.csv}]", "write: [{to: \"${'link/a.csv'}\"}, {to: real/a.csv}]",
        ]
    )
    func `computed paths of such files fail the step before its request`(write: String) async throws {
        folder.write("", to: "out/real/file")
        symlink("real", "\(folder.path)/out/link")
        let write = write.replacing("FOLDER", with: folder.path)
        writeFiles("{id: rows, get: /rows, mock: {body: [{n: 1}]}, \(write)}")
        let failed = try await waybill("\(Self.run) --allow-outside --out out")
        #expect(failed.status == 1 && failed.outputText.contains("another step, entry or element of this run"))
        let events = folder.read("out/events.ndjson")?.split(separator: "\n") ?? []
        #expect(!events.contains { $0.contains("response.head") && $0.contains("main.rows") }, "\(events)")
    }

    @Test(arguments: ["write: {to: file/a.csv}", "download: {to: ../out/file/b/a}"])
    func `a file in the place of a folder is an error before anything is sent`(step: String) async throws {
        folder.write("", to: "out/file")
        writeFiles("{id: rows, get: /rows, mock: {body: [{n: 1}]}, \(step)}")
        let refused = try await waybill("\(Self.run) --allow-outside --out out")
        #expect(refused.status == 2 && refused.errorText.contains("error[unwritable-file]"), "\(refused.errorText)")
        #expect(folder.read("out/events.ndjson") == nil)
    }

    @Test func `two manifests of a suite do not write the same snapshot`() async throws {
        for name in ["a", "b"] {
            let step = "{get: \"http://127.0.0.1:9/\", mock: {body: \(name)}, expect: {snapshot: snapshot.json}}"
            folder.write("waybill: 1\ngraphs: {main: {chain: [\(step)]}}\n", to: "suite/\(name).yaml")
        }
        let refused = try await waybill("run suite --mock --update-snapshots")
        #expect(refused.status == 2, "\(refused.outputText)\(refused.errorText)")
        let message = "error[same-file]: several manifests would write the snapshot 'suite/snapshot.json'"
        #expect(refused.errorText.contains(message), "\(refused.errorText)")
        folder.write("\"a\"", to: "suite/snapshot.json")
        #expect(try await waybill("run suite/a.yaml --mock --update-snapshots").status == 0)
        #expect(try await waybill("run suite --mock").status == 1)
    }

    @Test func `what a run writes for itself does not replace what it reads`() async throws {
        writeFiles("{id: end, values: {n: 1}}")
        for (line, words) in [
            ("run m.yaml --mock --inputs inputs.json --state inputs.json", "inputs.json"),
            ("run m.yaml --mock --inputs inputs.json --state jar.txt", "jar.txt"),
            ("run m.yaml --mock --inputs out/run.json --out out", "out/run.json"),
            ("run m.yaml --mock --inputs inputs.json --state out/outputs.json --out out", "out/outputs.json"),
        ] {
            folder.write("{\"n\": 1}", to: "out/run.json")
            let refused = try await waybill(line)
            #expect(refused.status == 2, "\(refused.outputText)\(refused.errorText)")
            #expect(refused.errorText.contains("error[same-file]: "), "\(refused.errorText)")
            #expect(refused.errorText.contains("'\(words)'"), "\(refused.errorText)")
            #expect(folder.read("inputs.json") == "{\"n\": 1}" && folder.read("jar.txt") == "")
        }
        let passed = try await waybill("\(Self.run) --out .")
        #expect(passed.status == 0, "\(passed.errorText)")
        #expect(try await waybill("\(Self.run) --out .").status == 0)
    }

    /// The folder `new` is created with the report or the snapshot, so the path leads to the earlier run.
    @Test(arguments: ["earlier/rows.csv", "new/../earlier/rows.csv", "new/../earlier/events.ndjson", "new/../m.yaml"])
    func `no report, snapshot or state replaces a file of another run or of the manifest`(path: String) async throws {
        let rows = "{id: rows, get: /rows, mock: {body: [{n: 1}]}, write: {to: rows.csv}}"
        writeFiles(rows)
        #expect(try await waybill("\(Self.run) --out earlier").status == 0)
        writeFiles("{id: rows, get: /rows, mock: {body: [{n: 1}]}, expect: {snapshot: \(path)}}")
        let kept = folder.read(path.replacing("new/../", with: ""))
        let own = path.hasSuffix("rows.csv") ? [] : ["--state \(path)"]
        for line in ["--report html=\(path)", "--update-snapshots"] + own {
            let run =
                own.contains(line)
                ? Self.run.replacing("--state s.json", with: "--out earlier") : "\(Self.run) --out out"
            let refused = try await waybill("\(run) \(line)")
            #expect(refused.status == 2, "\(line): \(refused.outputText)\(refused.errorText)")
            #expect(folder.read(path.replacing("new/../", with: "")) == kept)
            #expect(folder.names(in: "out").isEmpty)
        }
    }

    private static let stored = ["other.json", "other.json.lock", "waybill-results/.order"]

    /// Writes files that expressions read, and those of another manifest's state; the run creates the list of runs.
    private func writeStored(_ step: String) throws {
        writeFiles(step)
        let manifest = try #require(folder.read("m.yaml"))
            .replacing("data: {", with: "data: {texts: {glob: texts/*.txt}, ")
            .replacing("data.rows[0]", with: "data.rows[0] + length(file('text.txt')) + length(data.texts)")
        folder.write(manifest, to: "m.yaml")
        for file in ["text.txt", "texts/a.txt", "other.json", "other.json.lock"] { folder.write("", to: file) }
    }

    @Test(arguments: stored + ["text.txt", "texts/a.txt"])
    func `no report or snapshot replaces what expressions read and other manifests store`(path: String) async throws {
        try writeStored("{id: rows, get: /rows, mock: {body: 1}, expect: {snapshot: new.json}}")
        #expect(try await waybill("\(Self.run) --update-snapshots").status == 0)
        let kept = folder.read(path)
        let report = try await waybill("\(Self.run) --report html=\(path)")
        try writeStored("{id: rows, get: /rows, mock: {body: 1}, expect: {snapshot: \(path)}}")
        for refused in [report, try await waybill("\(Self.run) --update-snapshots")] {
            #expect(refused.status == 2 && refused.errorText.contains("error["), "\(refused.errorText)")
        }
        #expect(folder.read(path) == kept)
    }

    @Test(arguments: stored, ["write: {to: TO, format: csv}", "download: {to: TO}"])
    func `no step replaces what other manifests store`(path: String, step: String) async throws {
        try writeStored("{id: rows, values: {n: 1}}")
        #expect(try await waybill(Self.run).status == 0)
        let kept = folder.read(path)
        for target in ["\(folder.path)/\(path)", "\"${'\(folder.path)/\(path)'}\""] {
            try writeStored("{get: /rows, mock: {body: [{n: 1}]}, \(step.replacing("TO", with: target))}")
            let refused = try await waybill("\(Self.run) --allow-outside --out out")
            let output = refused.outputText + refused.errorText
            #expect(refused.status != 0 && output.contains("would replace"), "\(output)")
            #expect(folder.read(path) == kept)
        }
    }

    @Test func `the bodies of a run, and what its download needs to continue, are not replaced`() async throws {
        writeFiles("{id: rows, values: {n: 1}}")
        #expect(try await waybill("\(Self.run) --out outer").status == 0)
        for out in ["outer/bodies", "outer/bodies/x"] {
            let refused = try await waybill("\(Self.run) --out \(out)")
            #expect(refused.status != 0 && refused.errorText.contains("cannot use"), "\(refused.errorText)")
        }
        folder.write("{}", to: "outer/x.bin.part.json")
        let report = try await waybill("report outer --json outer/x.bin.part.json")
        #expect(report.status != 0 && folder.read("outer/x.bin.part.json") == "{}", "\(report.errorText)")
    }

    @Test func `a run does not use a folder in which another run has files, finished or not`() async throws {
        for (step, status) in [("{id: a, get: /, mock: {body: [1]}", 0), ("{id: a, get: \"http://127.0.0.1:9/\"", 1)] {
            writeFiles("\(step), write: {to: sub/x.ndjson}}")
            let first = status == 0 ? "\(Self.run) --out outer" : "run m.yaml --inputs inputs.json --out outer --only a"
            #expect(try await waybill(first).status == status)
            let refused = try await waybill("\(Self.run) --out outer/sub")
            #expect(
                refused.errorText.contains("the run in '\(folder.path)/outer' has files there"),
                "\(refused.errorText)"
            )
            folder.remove("outer")
        }
    }

    @Test func `no step replaces a pipe, and a run with a constant path of one does not start`() async throws {
        try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        symlink("pipe", "\(folder.path)/link")
        for step in ["download: {to: TO}", "write: {to: TO, format: csv}"] {
            for path in ["pipe", "link"].map({ "\(folder.path)/\($0)" }) {
                writeFiles("{id: rows, get: /rows, mock: {body: [{n: 1}]}, \(step.replacing("TO", with: path))}")
                let refused = try await waybill("\(Self.run) --allow-outside")
                #expect(refused.status == 2, "\(refused.outputText)\(refused.errorText)")
                let message = "error[unwritable-file]: the file '\(path)' cannot be written: it is not a regular file"
                #expect(refused.errorText.contains(message), "\(refused.errorText)")
                #expect(folder.names(in: "waybill-results").isEmpty)
            }
            let computed = step.replacing("TO", with: "\"${'\(folder.path)/pipe'}\"")
            writeFiles("{id: rows, get: /rows, mock: {body: [{n: 1}]}, \(computed)}")
            let failed = try await waybill("\(Self.run) --allow-outside --out out")
            #expect(failed.status == 1, "\(failed.errorText)")
            #expect(failed.outputText.contains("/pipe' cannot be written: it is not a regular file"))
            let events = folder.read("out/events.ndjson")?.split(separator: "\n") ?? []
            #expect(!events.contains { $0.contains("response.head") && $0.contains("main.rows") }, "\(events)")
            folder.remove("out")
        }
        #expect(mkfifo("\(folder.path)/pipe", 0o600) != 0)
    }

    @Test func `no step replaces a file that another run has written about itself`() async throws {
        writeFiles("{get: /rows, mock: {body: [{n: 1}]}, write: {to: rows.csv}}")
        #expect(try await waybill("\(Self.run) --out other").status == 0)
        for (file, step) in [("events.ndjson", "write"), ("run.json", "download"), ("bodies/main.json", "download")] {
            let before = folder.read("other/\(file)")
            writeFiles("{get: /rows, mock: {body: [{n: 1}]}, \(step): {to: \(folder.path)/other/\(file)}}")
            let refused = try await waybill("\(Self.run) --allow-outside --out out")
            #expect(refused.status != 0)
            let output = refused.outputText + refused.errorText
            #expect(output.contains("would replace a file of the run in"), "\(output)")
            #expect(folder.read("other/\(file)") == before)
        }
    }

    @Test func `the list of runs is not changed in a copy of its folder`() async throws {
        writeFiles("{get: /rows, mock: {body: [{n: 1}]}, write: {to: rows.csv}}")
        #expect(try await waybill(Self.run).status == 0)
        _ = try await Command.run("/bin/cp", ["-al", "waybill-results", "copy"], in: folder.path)
        let before = try #require(folder.read("copy/.order"))
        #expect(try await waybill(Self.run).status == 0)
        #expect(folder.read("copy/.order") == before)
        let lines = try #require(folder.read("waybill-results/.order")).split(separator: "\n")
        #expect(lines.count == 2 && before.hasPrefix(lines[0]))
    }

    @Test func `files that are replaced keep their permissions`() async throws {
        writeFiles("{get: /rows, mock: {body: [{n: 1}]}, write: {to: rows.csv}}")
        let steps = [
            "{get: /gz, mock: {body: [{n: 1}]}, write: {to: rows.csv.gz}}",
            "{get: /file, mock: {body: [{n: 1}]}, download: {to: file.json}}",
            "{id: bad, get: /bad, mock: {status: 500, body: {n: 1}}, onFailure: continue}",
        ]
        let manifest = try #require(folder.read("m.yaml"))
        folder.write(manifest + steps.map { "\n      - \($0)" }.joined(), to: "m.yaml")
        let line = "\(Self.run) --out out --report html=r.html --update-snapshots"
        #expect(try await waybill(line).status == 0)
        let names =
            [
                "run.json", "outputs.json", "sources.json", "events.ndjson", "rows.csv", "rows.csv.gz", "file.json",
                "bodies/main.bad.json",
            ].map { "out/\($0)" } + ["s.json", "r.html", "snapshot.json"]
        for name in names { #expect(chmod("\(folder.path)/\(name)", 0o600) == 0, "\(name)") }
        #expect(try await waybill(line).status == 0)
        for name in names {
            var status = stat()
            #expect(stat("\(folder.path)/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test func `the runs of a suite keep the permissions of its files`() async throws {
        for name in ["a", "b"] {
            folder.write("waybill: 1\ngraphs: {main: {chain: [{values: {a: 1}}]}}\n", to: "\(name).yaml")
        }
        let line = "run a.yaml b.yaml --mock --out out"
        #expect(try await waybill(line).status == 0)
        let files = ["run.json", "outputs.json", "sources.json", "events.ndjson"]
        let names = ["suite.json"] + ["a", "b"].flatMap { run in files.map { "\(run)/\($0)" } }
        for name in names { #expect(chmod("\(folder.path)/out/\(name)", 0o600) == 0, "\(name)") }
        #expect(try await waybill(line).status == 0)
        for name in names {
            var status = stat()
            #expect(stat("\(folder.path)/out/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }
}
