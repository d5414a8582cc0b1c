import Testing
import WaybillJSON
import WaybillTestSupport

/// Which operations of an OpenAPI document runs have called.
@Suite(.timeLimit(.minutes(5))) struct CoverageTests {
    private let folder = TemporaryFolder()

    private static let document = """
        openapi: 3.1.0
        info: {title: Shop, version: "1"}
        paths:
          /user: {get: {operationId: getUser, responses: {"200": {content: {application/json: {}, text/csv: {}}}, 4XX: {}}}}
          /missing: {get: {operationId: getMissing, responses: {"200": {}, "404": {content: {application/json: {}}}}}}
          /never: {post: {responses: {"201": {}}}, head: {operationId: headNever, responses: {"200": {content: {text/plain: {}}}}}}
        """

    private func manifest(_ steps: String, port: Int, file: String = "m.yaml") {
        folder.write(Self.document, to: "shop.yaml")
        folder.write(
            """
            waybill: 1
            services: {shop: {openapi: shop.yaml, baseURL: "http://127.0.0.1:\(port)"}}
            graphs: {main: {chain: [\(steps)]}}

            """,
            to: file
        )
    }

    private func text(of file: String) -> String { folder.read(file) ?? "" }

    private func run(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    @Test func `a run says what it has called, seen and not declared, and fails below a minimum`() async throws {
        let server = try CaseServer.start("paths")
        defer { server.stop() }
        manifest(
            "{call: shop.getUser}, {call: shop.getMissing, expect: {status: 404}}, {id: again, call: shop.getUser}",
            port: server.port
        )
        let first = try await run(
            "run",
            "m.yaml",
            "--out",
            "o",
            "--min-coverage",
            "50",
            "--report",
            "coverage=c.json,markdown=r.md,html=r.html"
        )
        #expect(first.status == 0, "\(first.errorText)")
        let summary = "shop.yaml: 2 of 4 operations called (50 %), 2 of 5 of their responses seen\n"
        #expect(first.outputText.contains(summary), "\(first.outputText)")
        #expect(text(of: "r.md").contains("not called: `POST /never`, `HEAD /never`"))
        #expect(
            text(of: "r.html").contains("<th scope=\"row\">HEAD /never headNever</th><td colspan=\"3\">not called</td>")
        )
        let listed = try await run("coverage", "o")
        #expect(
            listed.outputText == summary + """
                  ✓ GET /user  getUser
                    seen: 200 application/json
                    not seen: 200 text/csv, 4XX
                  ✓ GET /missing  getMissing
                    seen: 404 application/json
                    not seen: 200
                  - POST /never
                  - HEAD /never  headNever

                """
        )
        let events = text(of: "o/events.ndjson").split(separator: "\n").count { $0.contains("operation.covered") }
        #expect(events == 2)
        let json = try await run("coverage", "o", "--format", "json")
        #expect(json.outputText == text(of: "c.json"))

        let second = try await run("run", "m.yaml", "--out", "o", "--min-coverage", "51")
        #expect(second.status == 1)
        #expect(second.errorText == "the coverage of shop.yaml is 50 %, below the 51 % of --min-coverage\n")
    }

    @Test func `runs are combined by document, and a run with the mock server shows nothing`() async throws {
        let server = try CaseServer.start("paths")
        defer { server.stop() }
        manifest("{call: shop.getUser}", port: server.port, file: "a.yaml")
        manifest(
            "{call: shop.headNever}, {call: \"shop.POST /never\", contract: {response: off}}",
            port: server.port,
            file: "b.yaml"
        )
        #expect(try await run("run", "a.yaml", "--out", "a").status == 0)
        #expect(try await run("run", "b.yaml", "--out", "b").status == 0)
        let both = try await run("coverage", "a", "b")
        #expect(both.outputText.hasPrefix("shop.yaml: 3 of 4 operations called (75 %), 2 of 5"), "\(both.outputText)")
        #expect(both.outputText.contains("    undeclared: 200 application/json\n"))
        let suite = try await run("run", "a.yaml", "b.yaml", "--out", "s")
        #expect(suite.outputText.contains("shop.yaml: 3 of 4 operations called (75 %)"), "\(suite.outputText)")

        let mocked = try await run("run", "a.yaml", "--out", "a", "--mock")
        #expect(mocked.status == 0 && !mocked.outputText.contains("operations called"))
        let nothing = try await run("coverage", "a")
        #expect((nothing.status, nothing.outputText) == (1, ""))
        for arguments in [["--mock"], ["--shard", "1/2"], ["--phase", "before"]] {
            let refused = try await Command.run(
                CommandCase.program,
                ["run", "a.yaml", "--min-coverage", "1"] + arguments,
                in: folder.path
            )
            #expect(refused.status == 64, "\(arguments)")
        }
        folder.write("waybill: 1\ngraphs: {main: {chain: [{get: \"http://127.0.0.1:9/\"}]}}\n", to: "c.yaml")
        #expect(try await run("run", "c.yaml", "--min-coverage", "1").status == 64)
    }

    @Test func `a resumed run has what the run before it has seen`() async throws {
        let server = try CaseServer.start("paths")
        defer { server.stop() }
        let steps = "{call: shop.getUser}, {call: shop.getMissing, id: other, expect: {status: \"${inputs.status}\"}}"
        folder.write(Self.document, to: "shop.yaml")
        folder.write(
            """
            waybill: 1
            inputs: {status: {type: integer, default: 500}}
            services: {shop: {openapi: shop.yaml, baseURL: "http://127.0.0.1:\(server.port)"}}
            graphs: {main: {chain: [\(steps)]}}

            """,
            to: "m.yaml"
        )
        #expect(try await run("run", "m.yaml", "--out", "o").status == 1)
        folder.write(text(of: "m.yaml").replacing("\"${inputs.status}\"", with: "404"), to: "m.yaml")
        let resumed = try await run("resume", "o")
        #expect(resumed.outputText.contains("2 of 4 operations called"), "\(resumed.outputText)\(resumed.errorText)")
        #expect(server.requestCount == 3)
    }
}
