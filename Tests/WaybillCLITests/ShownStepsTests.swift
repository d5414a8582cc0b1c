import Testing
import WaybillTestSupport

/// What `waybill show` prints of a run with a `paginate`, a `forEach`, written files and a group.
@Suite(.timeLimit(.minutes(5))) struct ShownStepsTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    /// Runs a manifest with pages, elements and a group.
    private func run(_ elements: String = "7, 1, 7, 2", pages: Int = 3, _ arguments: String...) async throws -> Command
    {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                chain:
                  - id: records
                    get: /records
                    paginate: {page: {query: p}, items: $.rows, max: \(pages)}
                    write: {to: records.csv}
                    mock: {body: {rows: [{a: 1}, {a: 2}]}}
                  - id: details
                    forEach: {in: [\(elements)], as: n, concurrency: 1}
                    onFailure: continue
                    get: /${n}
                    mock: {body: {id: 7}}
                    expect: {body: [$.id == n]}
                  - {id: both, batch: [{id: x, get: /x, mock: {}}, {id: y, get: /y, mock: {}}]}
            """,
            to: "m.yaml"
        )
        let run = try await Command.run(CommandCase.program, ["run", "m.yaml", "--mock"] + arguments, in: folder.path)
        #expect(run.status == 0, "\(run.errorText)")
        return run
    }

    @Test(arguments: [
        (
            "nope", "no step of the run is named 'nope'",
            "'main.records', 'main.details', 'main.both', 'main.both.x', 'main.both.y'"
        ),
        ("detials", "no step of the run is named 'detials'", "Did you mean 'details'?"),
        ("main.bth", "no step of the run is named 'main.bth'", "Did you mean 'main.both'?"),
        ("main.details[4]", "no element of the run is named 'main.details[4]'", "'main.details' has 4 elements"),
    ])
    func `a step that the run does not have is an error`(name: String, message: String, help: String) async throws {
        _ = try await run()
        let shown = try await waybill("show", "latest", "--step", name)
        #expect(shown.status == 2)
        #expect(shown.outputText.isEmpty)
        #expect(shown.errorText.hasPrefix("error[unknown-step]: \(message)\n"), "\(shown.errorText)")
        #expect(shown.errorText.contains(help), "\(shown.errorText)")
        #expect(try await waybill("show", "latest", "--step", "x", "--step", name).status == 2)
    }

    @Test func `groups and elements are shown by their ids and paths`() async throws {
        _ = try await run()
        for name in ["both", "main.both"] {
            let text = try await waybill("show", "latest", "--step", name).outputText
            #expect(text.contains("main.both.x") && text.contains("main.both.y") && !text.contains("main.records"))
        }
        for name in ["main.details[1]", "details[1]"] {
            let text = try await waybill("show", "latest", "--step", name).outputText
            #expect(text.contains("\n  ! main.details[1]  1, http://127.0.0.1:9/1\n    error[expect]: "), "\(text)")
            #expect(text.contains("bodies/main.details[1].json:\n      {\"id\":7}\n"))
            #expect(!text.contains("[3]") && !text.contains("main.records"))
        }
        #expect(
            try await waybill("show", "latest", "--step", "main.details[0]").outputText
                .contains("\n  ✓ main.details[0]  passed\n")
        )
    }

    @Test func `of several manifests, those with a named step are shown`() async throws {
        _ = try await run()
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: one, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n",
            to: "b.yaml"
        )
        #expect(try await waybill("run", "m.yaml", "b.yaml", "--mock").status == 0)
        let shown = try await waybill("show", "latest", "--step", "one")
        #expect(shown.outputText.contains("b.yaml (mock)  passed\n") && !shown.outputText.contains("m.yaml"))
        #expect(try await waybill("show", "latest", "--step", "nope").status == 2)
    }

    @Test func `written files are shown as the run printed them`() async throws {
        let text = try await run().outputText
        let line = "\n    → records.csv: 6 records, 21 bytes\n  ✓ main.records  "
        #expect(text.contains(line), "\(text)")
        #expect(try await waybill("show", "latest").outputText.contains(line))
        #expect(try await waybill("show", "latest", "--step", "x").outputText.contains("records.csv") == false)
    }

    @Test func `files and elements that differ are named in a comparison`() async throws {
        _ = try await run()
        let first = try #require(folder.link(at: "waybill-results/latest"))
        _ = try await run("7, 7, 3, 2", pages: 2)
        let text = try await waybill("show", "latest", "--against", first).outputText
        #expect(text.contains(/\n  main\.details\[1\]  1  failed: .+ n is 1 → passed\n/), "\(text)")
        #expect(text.contains(/\n  main\.details\[2\]  3  passed → failed: .+ n is 3\n/), "\(text)")
        #expect(!text.contains("main.details[3]") && !text.contains("main.details[0]"))
        #expect(text.hasSuffix("\n  file records.csv  6 records → 4 records\n"), "\(text)")
    }

    @Test func `each page and each element is printed with its body`() async throws {
        _ = try await run("7, 1, 7, 2", pages: 2, "--keep-bodies")
        let bodies = folder.names(in: "waybill-results/latest/bodies")
        #expect(
            bodies.filter { $0.contains("records") }.sorted() == [
                "main.records.page-1.json", "main.records.page-2.json",
            ]
        )
        func paths(_ step: String) async throws -> [Substring] {
            let text = try await waybill("show", "latest", "--step", step, "--body").outputText
            return text.matches(of: /bodies\/(.+):\n      \{/).map(\.1)
        }
        #expect(try await paths("records") == ["main.records.page-1.json", "main.records.page-2.json"])
        #expect(try await paths("details") == (0..<4).map { "main.details[\($0)].json" })
        #expect(try await paths("details[2]") == ["main.details[2].json"])
        // Without the option, only the bodies of failed responses are kept.
        _ = try await run()
        #expect(try await paths("details") == ["main.details[1].json", "main.details[3].json"])
        #expect(try await paths("records").isEmpty)
    }

    @Test func `verbose lines number the pages`() async throws {
        let text = try await run("7", pages: 2, "--verbose").outputText
        #expect(text.contains("\n    * main.records\n    > GET http://127.0.0.1:9/records?p=1\n"), "\(text)")
        #expect(text.contains("\n    * main.records, page 2\n    > GET http://127.0.0.1:9/records?p=2\n"), "\(text)")
        #expect(!text.contains("attempt"))
    }

    @Test func `latest-passed is another run of the same manifest`() async throws {
        _ = try await run()
        let alone = try await waybill("show", "latest", "--against", "latest-passed")
        #expect(alone.status == 3)
        #expect(
            alone.errorText.hasPrefix(
                "error[run-error]: no other run of 'm.yaml' in 'waybill-results' has passed\n"
            ),
            "\(alone.errorText)"
        )
        _ = try await run(pages: 2)
        let last = try #require(folder.link(at: "waybill-results/latest"))
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: one, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n",
            to: "b.yaml"
        )
        #expect(try await waybill("run", "b.yaml", "--mock").status == 0)
        let shown = try await waybill("show", last, "--against", "latest-passed")
        #expect(shown.outputText.hasSuffix("\n  file records.csv  6 records → 4 records\n"), "\(shown.outputText)")
        #expect(try await waybill("show", "latest", "--against", "latest-passed").status == 3)
        // A run of both manifests is another one than that of either.
        for _ in 0..<2 { #expect(try await waybill("run", "m.yaml", "b.yaml", "--mock").status == 0) }
        let both = try await waybill("show", "latest", "--against", "latest-passed")
        #expect(both.status == 0, "\(both.errorText)")
        // On a busy machine, the times may differ.
        let compared = both.outputText.split(separator: "\n").filter { $0.contains(".yaml  ") && $0.contains(" → ") }
        #expect(compared.count == 2, "\(both.outputText)")
        #expect(!both.outputText.contains("  file ") && !both.outputText.contains("only in"), "\(both.outputText)")
    }
}
