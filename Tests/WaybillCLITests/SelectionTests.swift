import Testing
import WaybillTestSupport

/// Runs of selected steps.
@Suite(.timeLimit(.minutes(5))) struct SelectionTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    /// The paths of the steps that a run executed.
    private func steps(_ arguments: String...) async throws -> [String] {
        let run = try await Command.run(
            CommandCase.program,
            ["run", "manifest.yaml", "--mock", "--no-color"] + arguments,
            in: folder.path
        )
        #expect(run.status == 0, "\(run.outputText)\(run.errorText)")
        // The lines of groups of steps have their kind.
        let groups = ["batch", "chain", "graph"].map { "  \($0)  " }
        return run.outputText.split(separator: "\n")
            .filter { line in line.hasPrefix("  ✓ ") && !groups.contains { line.contains($0) } }
            .map { String($0.dropFirst(4).prefix { $0 != " " }) }
    }

    private func writeManifest() {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            endpoints:
              tagged: {path: /tagged, tag: smoke, mock: {}}
            graphs:
              main:
                chain:
                  - {id: login, post: /login, outputs: {token: $.t}, mock: {body: {t: 1}}}
                  - {get: /first, mock: {}}
                  - id: both
                    batch:
                      - {id: a, get: "/a/${steps.login.outputs.token}", tag: slow, mock: {}}
                      - {id: b, get: /b, tag: smoke, needs: [c], mock: {}}
                      - {id: c, get: /c, mock: {}}
                  - id: each
                    tag: loops
                    forEach: {in: [1, 2], as: n}
                    chain:
                      - {id: inner, get: "/${n}", mock: {}}
                  - call: tagged
                  - {graph: cleanup}
                finally:
                  - {id: last, when: "!steps.a.ok", get: /last, mock: {}}
                outputs:
                  token: steps.login.outputs.token
                  b: steps.b.status
                state: {seen: {default: 0, next: state.seen + 1}}
              cleanup:
                tags: [slow]
                chain: [{id: remove, delete: /x, mock: {}}]
              nightly:
                tags: [smoke, night]
                chain: [{id: pull, get: /pull, mock: {}}, {id: check, get: /check, tag: slow, mock: {}}]
            """,
            to: "manifest.yaml"
        )
    }

    @Test func `tags select steps and graphs, and the steps that those need`() async throws {
        writeManifest()
        #expect(try await steps("--tag", "slow") == ["main.login", "main.both.a", "main.cleanup.remove"])
        #expect(
            try await steps("--tag", "smoke")
                == ["main.both.c", "main.both.b", "main.tagged", "main.finally.last", "nightly.pull", "nightly.check"]
        )
        #expect(
            try await steps("--tag", "smoke", "--not-tag", "slow", "--graph", "nightly") == ["nightly.pull"]
        )
        #expect(
            try await steps("--not-tag", "slow", "--not-tag", "loops", "--not-tag", "smoke")
                == ["main.login", "main.2", "main.both.c", "main.finally.last"]
        )
        #expect(try await steps("--tag", "loops").filter { $0.hasPrefix("main.each[") }.count == 2)
    }

    @Test func `a selected step runs with the steps it needs, and resume keeps the selection`() async throws {
        writeManifest()
        #expect(try await steps("--only", "a", "--out", "a") == ["main.login", "main.both.a"])
        #expect(folder.read("a/outputs.json") == "{\n  \"main\": {\n    \"token\": 1\n  }\n}\n")
        #expect(folder.read("a/run.json")?.contains(#""tags": ["#) == true)
        #expect(folder.read("a/events.ndjson")?.contains(#""selection":{"only":["a"]}"#) == true)
        #expect(try await steps("--only", "main.both").count == 4)
        #expect(try await steps("--only", "nightly.pull") == ["nightly.pull"])
        let resumed = try await waybill("resume", "./a", "--no-color")
        #expect(resumed.status == 0, "\(resumed.errorText)")
        #expect(resumed.outputText.contains("2 passed"), "\(resumed.outputText)")
    }

    @Test func `a tag that no manifest has is a warning`() async throws {
        writeManifest()
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: a, tag: other, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n",
            to: "other.yaml"
        )
        let warning = "warning[unmatched-tag]: no graph and no step has the tag 'slwo'\n"
        for manifests in [["manifest.yaml"], ["manifest.yaml", "other.yaml"]] {
            let arguments = ["run"] + manifests + ["--mock", "--not-tag", "slwo", "--tag", "smoke", "--tag", "other"]
            let run = try await Command.run(CommandCase.program, arguments, in: folder.path)
            #expect(run.status == 0, "\(run.errorText)")
            #expect(run.errorText.contains(warning), "\(run.errorText)")
            #expect(run.errorText.contains("Did you mean 'slow'?"))
            #expect(run.errorText.contains("the tag 'other'") == (manifests.count == 1), "\(run.errorText)")
        }
    }

    @Test func `names and tags that select nothing are errors`() async throws {
        writeManifest()
        let tag = try await waybill("run", "manifest.yaml", "--mock", "--tag", "smokes")
        #expect(tag.status == 2)
        #expect(tag.errorText.hasPrefix("error[nothing-selected]: no step of manifest.yaml is selected\n"))
        #expect(tag.errorText.contains("Did you mean 'smoke'?"))
        let step = try await waybill("run", "manifest.yaml", "--mock", "--only", "logn")
        #expect(step.status == 2)
        #expect(step.errorText.hasPrefix("error[unknown-step]: no step is named 'logn'\n"))
        #expect(step.errorText.contains("Did you mean 'login'?"))
        #expect(!folder.names().contains("waybill-results"))
    }

    @Test func `manifests without the selected tag are skipped`() async throws {
        for (name, tag) in [("a", "smoke"), ("b", "other"), ("c", "smoke")] {
            folder.write(
                """
                waybill: 1
                services: {s: {baseURL: "http://127.0.0.1:9"}}
                graphs: {main: {tags: [\(tag)], chain: [{id: one, get: /one, mock: {}}]}}
                """,
                to: "tests/\(name).yaml"
            )
        }
        let run = try await waybill("run", "tests", "--mock", "--tag", "smoke", "--out", "out")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.outputText.contains("\n2 manifests: 2 passed in "), "\(run.outputText)")
        #expect(folder.names(in: "out/tests") == ["a", "c"])
        let nothing = try await waybill("run", "tests", "--mock", "--tag", "smok")
        #expect(nothing.status == 2)
        #expect(nothing.errorText.contains("no step of tests/a.yaml is selected"))
    }
}
