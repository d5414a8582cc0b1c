import Testing
import WaybillPlatform
import WaybillResults
import WaybillTestSupport

/// `waybill runs`, and what `show` selects.
@Suite(.timeLimit(.minutes(5))) struct RunsCommandTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    @Test func `each format of reports has an option of report, and is named in the help of run`() async throws {
        let report = try await waybill("report", "--help").outputText
        let run = try await waybill("run", "--help").outputText
        for format in RunReports.all {
            #expect(report.contains("--\(format.name) <\(format.name)>"), "\(format.name)")
            #expect(run.contains("\(format.name)"), "\(format.name)")
        }
    }

    private func run() async throws {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                onFailure: collect
                chain: [{id: one, get: /one, mock: {}}, {id: two, get: /two, mock: {status: 500}}]
            """,
            to: "m.yaml"
        )
        #expect(try await waybill("run", "m.yaml", "--mock").status == 1)
    }

    @Test func `runs are listed with counts and age, and the older ones removed`() async throws {
        for _ in 0..<3 { try await run() }
        folder.write("kept", to: "waybill-results/notes/file")
        folder.write("{}", to: "waybill-results/20200101-000000-aaaaaa/run.json")
        let listed = try await waybill("runs").outputText.split(separator: "\n")
        #expect(listed.count == 4)
        for line in listed.dropLast() {
            #expect(line.contains("  failed      1 failed, 1 passed in ") && line.contains("just now"), "\(line)")
            #expect(line.hasSuffix("  m.yaml (mock)"))
        }
        #expect(listed.last?.hasPrefix("20200101-000000-aaaaaa  unreadable  ") == true)
        // The columns are aligned.
        #expect(Set(listed.dropLast().map { $0.count }).count == 1, "\(listed)")
        #expect(try await waybill("runs", "prune").status == 64)
        #expect(try await waybill("runs", "prune", "--older-than", "7x").status == 64)
        #expect(try await waybill("runs", "prune", "--older-than", "1d").outputText == "removed 1 run\n")
        #expect(
            try await waybill("runs", "prune", "--keep", "1", "--older-than", "1d").outputText == "removed 0 runs\n"
        )
        #expect(try await waybill("runs", "prune", "--keep", "1").outputText == "removed 2 runs\n")
        let left = try await waybill("runs").outputText
        let names = listed.compactMap { $0.split(separator: " ").first }
        #expect(left.split(separator: "\n").map { $0.split(separator: " ").first } == [names[0]])
        #expect(try await waybill("show", "latest").status == 0)
        #expect(try await waybill("runs", "prune", "--keep", "0").outputText == "removed 1 run\n")
        #expect(folder.names(in: "waybill-results") == ["notes"])
        #expect(folder.read("waybill-results/notes/file") == "kept")
    }

    @Test func `a named pipe in place of a file of a run is an error, and is not waited for`() async throws {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                chain:
                  - id: list
                    forEach: {in: [1, 2], as: n}
                    get: /list
                    mock: [{body: [{id: 1}]}, {status: 500, body: bad}]
                    write: {to: p.csv}
            """,
            to: "m.yaml"
        )
        let run = "all/20200101-000000-aaaaaa"
        #expect(try await waybill("run", "m.yaml", "--mock", "--out", run).status == 1)
        for (file, lines) in [
            ("bodies/main.list[1].txt", ["report \(run) --html h.html"]), ("p.csv.part", ["resume \(run)"]),
            ("events.ndjson", ["show \(run)", "resume \(run)", "report \(run) --har h.har"]),
            ("events.ndjson", ["runs all", "runs prune all --keep 5"]),
        ] {
            let path = "\(folder.path)/\(run)/\(file)"
            unlink(path)
            try #require(mkfifo(path, 0o600) == 0)
            for line in lines {
                let words = line.split(separator: " ").map(String.init)
                let command = try await Command.run(CommandCase.program, words, in: folder.path)
                let text = command.outputText + command.errorText
                let isError = text.contains("/\(file)': it is not a regular file")
                // The others show what the other files contain.
                #expect(isError || !line.hasPrefix("resume"), "\(line): \(command.status) \(text)")
            }
        }
    }

    @Test func `a folder without runs has none, and one that does not exist is an error`() async throws {
        for arguments in [["runs"], ["runs", "prune", "--keep", "1"]] {
            let none = try await Command.run(CommandCase.program, arguments, in: folder.path)
            #expect(none.status == 0)
            #expect(none.errorText == "no runs in 'waybill-results'\n")
        }
        folder.write("", to: "empty/file")
        #expect(try await waybill("runs", "empty").errorText == "no runs in 'empty'\n")
        for arguments in [["runs", "nosuch"], ["runs", "prune", "--keep", "1", "nosuch"]] {
            let missing = try await Command.run(CommandCase.program, arguments, in: folder.path)
            #expect(missing.status == 3)
            #expect(missing.outputText.isEmpty)
            #expect(missing.errorText.hasPrefix("error[run-error]: cannot read 'nosuch': "), "\(missing.errorText)")
        }
    }

    @Test func `the runs of several manifests are listed below one run, which prune removes`() async throws {
        try await run()
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: one, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n",
            to: "a/b.yaml"
        )
        #expect(try await waybill("run", "m.yaml", "a/b.yaml", "--mock", "--fail-fast").status == 1)
        let suite = try #require(folder.link(at: "waybill-results/latest"))
        let listed = try await waybill("runs").outputText.split(separator: "\n")
        try #require(listed.count == 4)
        #expect(listed[0].hasPrefix("\(suite)  failed   2 manifests: 1 failed, 1 not run  "), "\(listed)")
        #expect(listed[0].hasSuffix("  just now"))
        #expect(listed[1].hasPrefix("  m  ") && listed[1].contains("  failed   1 failed, 1 passed in "), "\(listed)")
        #expect(listed[2].hasPrefix("  a/b  ") && listed[2].contains("  not run  "), "\(listed)")
        #expect(listed[2].hasSuffix("  a/b.yaml"))
        // A folder that is not named like a run is neither listed nor removed.
        #expect(try await waybill("run", "a/b.yaml", "--mock", "--out", "waybill-results/named").status == 0)
        #expect(try await waybill("runs").outputText.split(separator: "\n").count == 4)
        #expect(try await waybill("runs", "prune", "--keep", "1").outputText == "removed 1 run\n")
        #expect(try await waybill("runs").outputText.split(separator: "\n").count == 3)
        #expect(try await waybill("runs", "prune", "--keep", "0").outputText == "removed 1 run\n")
        #expect(try await waybill("runs").errorText == "no runs in 'waybill-results'\n")
    }

    @Test func `prune keeps a run whose folder contains another one, and names both`() async throws {
        try await run()
        let single = try #require(folder.link(at: "waybill-results/latest"))
        folder.write(try #require(folder.read("m.yaml")), to: "n.yaml")
        #expect(try await waybill("run", "m.yaml", "n.yaml", "--mock").status == 1)
        let suite = try #require(folder.link(at: "waybill-results/latest"))
        try await run()
        let inner = ["waybill-results/\(single)/a/b", "waybill-results/\(suite)/m/c"]
        for path in inner { #expect(try await waybill("run", "m.yaml", "--mock", "--out", path).status == 1) }
        let pruned = try await waybill("runs", "prune", "--keep", "0")
        #expect(pruned.status == 0)
        #expect(pruned.outputText == "removed 1 run\n")
        for (outer, path) in zip([single, suite], inner) {
            #expect(
                pruned.errorText.contains("'waybill-results/\(outer)' is not removed: it contains the run in '\(path)'")
            )
            #expect(folder.read("\(path)/run.json") != nil && folder.names(in: "waybill-results").contains(outer))
            folder.remove(path)
        }
    }

    @Test func `a link in a run is removed, and what it leads to stays`() async throws {
        folder.write("x", to: "elsewhere/file")
        folder.write("{}", to: "waybill-results/20200101-000000-aaaaaa/run.json")
        let link = try await Command.run(
            "/bin/ln",
            ["-s", "\(folder.path)/elsewhere", "waybill-results/20200101-000000-aaaaaa/link"],
            in: folder.path
        )
        #expect(link.status == 0)
        #expect(try await waybill("runs", "prune", "--keep", "0").outputText == "removed 1 run\n")
        #expect(folder.read("elsewhere/file") == "x")
    }

    @Test func `show selects failures and steps`() async throws {
        try await run()
        let failed = try await waybill("show", "latest", "--failed").outputText
        #expect(failed.contains("main.two") && !failed.contains("main.one"))
        let one = try await waybill("show", "latest", "--step", "one").outputText
        #expect(one.contains("main.one") && !one.contains("main.two"))
        let all = try await waybill("show", "latest", "--step", "main").outputText
        #expect(all.contains("main.one") && all.contains("main.two"))
    }

    @Test func `prune keeps a folder that is named like a run but has none of its files`() async throws {
        folder.write("mine", to: "all/20200101-000000-aaaaaa/notes")
        folder.write("{}", to: "all/20200101-000000-bbbbbb/run.json")
        #expect(mkdir("\(folder.path)/all/20200101-000000-cccccc", 0o777) == 0)
        let pruned = try await waybill("runs", "prune", "--keep", "0", "all")
        #expect(pruned.status == 0 && pruned.outputText == "removed 2 runs\n")
        let message = "'all/20200101-000000-aaaaaa' is not removed: it has no files of a run\n"
        #expect(pruned.errorText == message)
        #expect(folder.read("all/20200101-000000-aaaaaa/notes") == "mine")
    }
}
