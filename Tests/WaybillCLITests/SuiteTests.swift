import Testing
import WaybillResults
import WaybillTestSupport

/// Runs of several manifests.
@Suite(.timeLimit(.minutes(5))) struct SuiteTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    /// A manifest with one request, which passes or fails.
    private func manifest(_ path: String, status: Int = 200, delay: String = "0s", inputs: String = "") {
        folder.write(
            """
            waybill: 1
            \(inputs)
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs: {main: {chain: [{id: one, delay: \(delay), get: /one, mock: {status: \(status)}}]}}
            """,
            to: path
        )
    }

    @Test func `a folder is run with one summary, one of each report and the worst exit status`() async throws {
        manifest("tests/a.yaml")
        manifest("tests/deep/b.yml", status: 500)
        manifest("tests/.hidden/c.yaml", status: 500)
        manifest("tests/waybill-results/d.yaml", status: 500)
        folder.write("endpoints: {}\n", to: "tests/part.yaml")
        folder.write("waybill: 1\n", to: "tests/readme.md")
        let run = try await waybill(
            "run",
            "tests",
            "./tests/a.yaml",
            "--mock",
            "--out",
            "out",
            "--report",
            "junit=j.xml,json=r.json"
        )
        #expect(run.status == 1, "\(run.errorText)")
        let text = run.outputText
        #expect(text.contains("\ntests/a.yaml\nmain\n  ✓ main.one"))
        #expect(text.contains("\n2 manifests: 1 failed, 1 passed in "))
        #expect(text.contains("  ✗ tests/deep/b.yml: 1 failed\n    waybill resume out/tests/deep/b\n"))
        #expect(folder.names(in: "out/tests") == ["a", "deep"])
        let junit = String(decoding: TemporaryFolder.contents(of: "\(folder.path)/j.xml") ?? [], as: UTF8.self)
        #expect(junit.split(separator: "<testsuite ").count == 3)
        let shown = try await waybill("show", "./out")
        #expect(shown.outputText.contains("tests/a.yaml  passed\n"))
        #expect(shown.outputText.contains("tests/deep/b.yml  failed\n"))
    }

    @Test func `nothing is sent if one of the manifests is invalid`() async throws {
        manifest("a.yaml")
        folder.write("waybill: 1\ngraphs: {main: {chain: [{get: nowhere}]}}\n", to: "b.yaml")
        let run = try await waybill("run", ".", "--mock")
        #expect(run.status == 2)
        #expect(run.outputText.isEmpty)
        #expect(run.errorText.contains("--> ./b.yaml:2:"))
        #expect(folder.names() == ["a.yaml", "b.yaml"])
    }

    @Test func `several run at once, each with its text in one piece`() async throws {
        let names = (1...6).map { "m\($0)" }
        for name in names { manifest("\(name).yaml", delay: "1s") }
        let run = try await waybill("run", ".", "--mock", "--jobs", "6")
        #expect(run.status == 0, "\(run.errorText)")
        let blocks = run.outputText.split(separator: "\n\n").filter { $0.contains("main.one") }
        #expect(blocks.count == 6, "\(run.outputText)")
        for block in blocks { #expect(block.split(separator: "\n").count { $0.hasSuffix(".yaml") } == 1) }
        let time = try #require(
            run.outputText.split(separator: "\n").first { $0.hasPrefix("6 manifests: 6 passed in ") }
        )
        let milliseconds = time.split(separator: " ").compactMap { Int($0) }.last
        // One after the other takes 6000 ms at least.
        #expect(milliseconds.map { $0 < 6000 } ?? false, "\(time)")
    }

    @Test func `after a failure none starts, and resume runs what was not started`() async throws {
        manifest("a.yaml", status: 500)
        manifest("b.yaml")
        let run = try await waybill("run", "a.yaml", "b.yaml", "--mock", "--fail-fast", "--out", "out")
        #expect(run.status == 1)
        #expect(run.outputText.contains("\n2 manifests: 1 failed, 1 not run in "))
        let shown = try await waybill("show", "./out")
        #expect(shown.outputText.hasSuffix("\nb.yaml  not run\n"))
        let resumed = try await waybill("resume", "./out")
        #expect(resumed.status == 1, "\(resumed.errorText)")
        #expect(resumed.outputText.hasPrefix("\na.yaml\nmain\n  ✗ main.one"))
        #expect(resumed.outputText.contains("\nb.yaml\nmain\n  ✓ main.one"))
        #expect(try await waybill("show", "./out").outputText.contains("b.yaml  passed\n"))
        #expect(try await waybill("resume", "./out", "--format", "ndjson").status == 64)
    }

    @Test func `resume needs the inputs of a manifest that was not started`() async throws {
        manifest("a.yaml", status: 500)
        folder.write(
            """
            waybill: 1
            inputs: {name: {type: string, default: none}}
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs: {main: {chain: [{id: one, get: "/${inputs.name}", mock: {status: 200}}]}}
            """,
            to: "b.yaml"
        )
        let arguments = ["b.yaml", "--mock", "--fail-fast", "--out", "out", "--input", "name=x"]
        let both = try await Command.run(CommandCase.program, ["run", "a.yaml"] + arguments, in: folder.path)
        #expect(both.status == 2)
        manifest("a.yaml", status: 500, inputs: "inputs: {name: {type: string, default: none}}")
        let run = try await Command.run(CommandCase.program, ["run", "a.yaml"] + arguments, in: folder.path)
        #expect(run.status == 1, "\(run.errorText)")
        let resumed = try await waybill("resume", "./out", "--quiet")
        #expect(resumed.status == 2)
        #expect(resumed.errorText.contains("could not start 'b.yaml': the inputs of the run are missing: 'name'"))
        let again = try await waybill("resume", "./out", "--input", "name=x")
        #expect(again.status == 1)
        #expect(again.outputText.contains("GET http://127.0.0.1:9/x"), "\(again.outputText)\(again.errorText)")
    }

    @Test(arguments: [
        (["a.yaml", "a/b.yaml"], ["a", "a-b-2"]),
        (["a/b.yaml", "a.yaml"], ["a/b", "a-2"]),
        (["a.yaml", "A.yml", "./a.yaml"], ["a", "A-2", "a-3"]),
        (["suite.json.yaml", "suite.json/c.yaml"], ["suite.json-2", "suite.json-c-2"]),
        (["../x/y.yaml", "-"], ["x/y", "-"]),
    ])
    func `no run has its folder in that of another one`(paths: [String], names: [String]) throws {
        let suite = try SuiteFolder.create("\(folder.path)/s", in: folder.path, for: paths)
        #expect(suite.members.map { String($0.folder.dropFirst("\(folder.path)/s/".count)) } == names)
        #expect(SuiteFolder(at: "\(folder.path)/s")?.members == suite.members)
    }

    @Test func `what is for one manifest is refused for several`() async throws {
        manifest("a.yaml")
        manifest("b.yaml")
        #expect(try await waybill("run", ".", "--mock", "--format", "ndjson").status == 64)
        #expect(try await waybill("run", ".", "--mock", "--state", "s.json").status == 64)
        #expect(try await waybill("run", ".", "--mock", "--jobs", "0").status == 64)
        #expect(folder.names() == ["a.yaml", "b.yaml"])
    }

    @Test func `without a path waybill yaml is run, and a folder without manifests is an error`() async throws {
        let nothing = try await waybill("run", "--mock")
        #expect(nothing.status == 64)
        #expect(nothing.errorText.contains("the current folder has no waybill.yaml"))
        folder.write("a: 1\n", to: "empty/a.yaml")
        let none = try await waybill("validate", "empty")
        #expect(none.status == 2)
        #expect(none.errorText.hasPrefix("error[no-manifest]: there is no manifest in 'empty'\n"))
        manifest("waybill.yaml")
        #expect(try await waybill("run", "--mock").status == 0)
        #expect(try await waybill("validate", ".").outputText == "./waybill.yaml is valid\n")
    }

    @Test func `a suite whose list was changed leads to no other folder`() async throws {
        folder.write(
            #"{"manifests": [{"manifest": "a", "folder": "../b"}, {"manifest": "c", "folder": "/c"}]}"#,
            to: "s/suite.json"
        )
        #expect(SuiteFolder(at: "\(folder.path)/s")?.members.isEmpty == true)
    }
}
