import Testing
import Waybill
import WaybillTestSupport

/// What a plan is limited to, and what a program learns from it.
@Suite(.timeLimit(.minutes(5))) struct PlanningTests {
    private static let tagged = """
        endpoints: {e: {url: "http://a.example/", inputs: {n: integer}, query: {n: "${inputs.n}"}}}
        graphs:
          main:
            chain:
              - {id: a, get: "http://a.example/a", tag: smoke}
              - {id: b, batch: [{id: c, call: e, with: {n: 1}, tag: slow}, {id: d, values: {x: 1}}]}
              - {id: g, graph: other}
            finally: [{id: f, values: {x: 1}}]
          other: {chain: [{id: h, get: "http://a.example/h"}]}
        """

    @Test func `a plan lists its steps`() throws {
        let fixture = LibraryFixture(Self.tagged)
        let manifest = try Manifest(contentsOf: fixture.path)
        let steps = try manifest.plan().steps
        #expect(
            steps.map { "\($0.path) \($0.kind) \($0.endpoint ?? "-")" } == [
                "main.a request -", "main.b batch -", "main.b.c request e", "main.b.d values -", "main.g graph -",
                "main.g.h request -", "main.finally.f values -",
            ]
        )
        #expect(throws: ManifestError.self) { try manifest.plan(concurrency: 0) }
    }

    @Test func `each path of a plan's steps is one of its run, and only such paths are accepted`() async throws {
        let fixture = LibraryFixture(Self.tagged)
        let plan = try fixture.plan()
        let transport = TransportTests.Recorder { _ in .init() }
        let run = plan.run(options: ManifestRun.Options(transport: transport))
        let report = try await run.report
        #expect(plan.steps.map(\.path) == report.steps.map(\.path))
        for step in plan.steps { try run.pause(step: step.path) }
        try run.pause(step: "main.b[3].c")
        for path in [
            "other.h", "other", "main.b[", "main.b[x].c", "main.b[-1]", "main.b[3]c", "main.b[99999999999999999999]",
        ] {
            #expect(throws: RunError.self, "\(path)") { try run.pause(step: path) }
        }
    }

    @Test func `a plan is limited to steps by name and by tag`() async throws {
        let fixture = LibraryFixture(Self.tagged)
        let manifest = try Manifest(contentsOf: fixture.path)
        func urls(_ plan: RunPlan) async throws -> Set<String> {
            let transport = TransportTests.Recorder { _ in .init() }
            _ = try await plan.run(options: ManifestRun.Options(transport: transport)).report
            return Set(transport.requests.map(\.url))
        }
        #expect(try await urls(manifest.plan(only: ["a"])) == ["http://a.example/a"])
        #expect(try await urls(manifest.plan(tags: ["slow"])) == ["http://a.example/?n=1"])
        #expect(try await urls(manifest.plan(notTags: ["slow"])) == ["http://a.example/a", "http://a.example/h"])
        #expect(throws: ManifestError.self) { try manifest.plan(only: ["nothing"]) }
    }

    @Test func `a tag that nothing has is a warning with the nearest name`() async throws {
        let fixture = LibraryFixture(Self.tagged)
        let manifest = try Manifest(contentsOf: fixture.path)
        #expect(try manifest.plan(tags: ["smoke"], notTags: ["slow"]).warnings == [])
        let warnings = try manifest.plan(tags: ["smoke", "smole"], notTags: ["slwo", "x"]).warnings
        #expect(warnings.map(\.id) == ["unmatched-tag", "unmatched-tag", "unmatched-tag"])
        #expect(warnings.map(\.message) == ["smole", "slwo", "x"].map { "no graph and no step has the tag '\($0)'" })
        #expect(
            warnings.flatMap(\.help)
                == ["Did you mean 'smoke'?", "Did you mean 'slow'?", "The tags are: slow, smoke."]
        )
    }

    @Test func `inputs that are nested deeper than a journal can be read are refused`() async throws {
        let fixture = LibraryFixture("inputs: {a: {}}\ngraphs: {main: {chain: [{values: {x: inputs.a}}]}}")
        func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(1) { value, _ in .array([value]) } }
        for depth in [2_001, 10_000] {
            let diagnostics = try fixture.diagnostics { path in
                _ = try Manifest(contentsOf: path).plan(inputs: ["a": nested(depth)])
            }
            #expect(diagnostics.map(\.id) == ["invalid-input"])
            #expect(
                diagnostics.first?.message
                    == "the value given for input 'a' by the program is nested more than 2000 levels deep"
            )
        }
        let report = try await fixture.plan(inputs: ["a": nested(2_000)]).run(results: fixture.results).report
        #expect(report.outcome == .passed)
        #expect(try ManifestRun.Report(contentsOf: fixture.results).outcome == .passed)
    }

    @Test func `the shards of a run are merged, and the run continues after them`() async throws {
        let fixture = LibraryFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: "http://a.example/a", outputs: {ids: $.ids}}
                  - {id: b, forEach: {in: steps.a.outputs.ids, as: id, shard: true, concurrency: 1}, get: "http://a.example/${id}", write: {to: b.ndjson}}
                  - {id: c, get: "http://a.example/c"}
            """
        )
        let transport = TransportTests.Recorder { _ in .init(json: ["ids": [1, 2, 3, 4]]) }
        let options = ManifestRun.Options(transport: transport)
        let manifest = try Manifest(contentsOf: fixture.path)
        let before = "\(fixture.folder.path)/before"
        let plan = try manifest.plan(part: .beforeShards)
        #expect(try await plan.run(results: before, options: options).report.outcome == .passed)
        var shards: [String] = []
        for number in 1...2 {
            shards.append("\(fixture.folder.path)/shard-\(number)")
            let run = try ManifestRun.resume(before, asShard: number, of: 2, into: shards[number - 1], options: options)
            #expect(try await run.report.outcome == .passed)
        }
        let whole = "\(fixture.folder.path)/whole"
        #expect(try await ManifestRun.merge(shards, into: whole) == nil)
        #expect(fixture.folder.read("whole/b.ndjson")?.split(separator: "\n").count == 4)
        #expect(transport.requests.map(\.url.last) == ["a", "1", "2", "3", "4"])
        #expect(try await ManifestRun.resume(whole, options: options).report.outcome == .passed)
        #expect(transport.requests.map(\.url.last) == ["a", "1", "2", "3", "4", "c"])
        let error = try #require(
            await #expect(throws: RunError.self) { try await ManifestRun.merge([shards[0]], into: whole + "-2") }
        )
        #expect(error.code == .shards)
        #expect(error.message == "shards are missing: 2/2")
    }

    @Test func `the mock server of a manifest responds to any client`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let server = try ManifestMockServer(for: Manifest(contentsOf: fixture.path))
        let other = LibraryFixture(
            "graphs: {main: {chain: [{id: a, get: \"\(server.url)/api/accounts/7/orders\", outputs: {t: \"$[*].total\"}}], outputs: {t: steps.a.outputs.t}}}"
        )
        #expect(try await other.plan().run().report.outputs["main"]?["t"] == [12.5, 3])
        await server.stop()
        #expect(try await other.plan().run().report.failedSteps.map(\.failure?.kind) == [.connect])
    }

    @Test func `an endpoint is called by itself`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let manifest = try Manifest(contentsOf: fixture.path)
        let plan = try manifest.plan(calling: "orders", inputs: ["account": 7])
        let report = try await plan.run(options: ManifestRun.Options(usesMock: true)).report
        #expect(report.outputs["call"]?["data"]?[0]?["total"] == 12.5)
        #expect(throws: ManifestError.self) { try manifest.plan(calling: "orders") }
        #expect(throws: ManifestError.self) { try manifest.plan(calling: "nothing") }
    }

    @Test func `the inputs of a manifest are described`() throws {
        let fixture = LibraryFixture(
            """
            inputs:
              name: string
              count: {type: [integer, "null"], default: 3, description: How many.}
              path: {type: string, env: PATH}
            graphs: {main: {chain: [{values: {a: inputs.name, b: inputs.count, c: inputs.path}}]}}
            """
        )
        let inputs = try Manifest(contentsOf: fixture.path).inputs
        #expect(inputs.map(\.name) == ["name", "count", "path"])
        #expect(inputs.map(\.types) == [["string"], ["integer", "null"], ["string"]])
        #expect(inputs.map(\.isRequired) == [true, false, false])
        #expect(inputs.map(\.defaultValue) == [nil, 3, nil])
        #expect(inputs.map(\.description) == [nil, "How many.", nil])
        #expect(inputs.map(\.variable) == [nil, nil, "PATH"])
        #expect(inputs[0].schema["type"] == ["string"])
    }
}
