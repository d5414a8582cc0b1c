import Testing
import Waybill
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlan
import WaybillTestSupport

/// Which changes of a step that has already run prevent its run from being resumed.
@Suite(.timeLimit(.minutes(5))) struct ChangedManifestTests {
    private static let manifest = """
        services:
          s:
            baseURL: http://127.0.0.1:1
            headers: {X-Key: "1", X-Other: a}
            auth: {bearer: token-a}
            tls: {verify: true}
        endpoints:
          e:
            service: s
            path: /a
            vars: {nested: {list: [{a: 1}]}, text: "a${run.id}"}
            query: {q: "1"}
            retry: {times: 2}
            filters: [{limit: 5}, {where: item.n > 1}]
            expect: {status: 200, body: [length($) == 1], equals: [{n: 2}]}
            mock: {body: [{n: 1}, {n: 2}]}
        graphs:
          main:
            chain: [{call: e}, {id: b, service: s, get: /b, mock: {status: 500}}]
        """

    /// Runs the manifest, in which the second step fails, changes it, and returns the errors of resuming the run.
    private func diagnostics(_ old: String, _ new: String) async throws -> [String] {
        let manifest = Self.manifest.replacing(", equals: [{n: 2}]", with: "")
        let fixture = LibraryFixture(manifest)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        try #require(manifest.contains(old))
        fixture.folder.write("waybill: 1\n\(manifest.replacing(old, with: new))\n", to: "manifest.yaml")
        do throws(RunError) {
            _ = try ManifestRun.resume(fixture.results)
            return []
        } catch {
            return error.diagnostics.filter { $0.id == "changed-manifest" }.map(\.message)
        }
    }

    @Test(
        arguments: [
            ("X-Key: \"1\"", "X-Key: \"2\"", "headers"), ("X-Other: a", "X-Others: a", "headers"),
            ("token-a", "token-b", "auth"), ("{bearer: token-a}", "{basic: {username: token-a, password: x}}", "auth"),
            ("limit: 5", "limit: 6", "filters"), ("item.n > 1", "item.n > 0", "filters"),
            ("[{limit: 5}, {where: item.n > 1}]", "[{where: item.n > 1}, {limit: 5}]", "filters"),
            ("times: 2", "times: 3", "retry"), ("status: 200", "status: [200, 201]", "expect"),
            ("length($) == 1", "length($) == 2", "expect"), ("verify: true", "verify: false", "tls"),
            ("q: \"1\"", "q: \"01\"", "query"), ("path: /a", "path: /aa", "url"),
            ("{call: e}", "{call: e, onFailure: continue}", "onFailure"),
        ]
    )
    func `a change of a step that has run is rejected with the name of the changed part`(
        old: String,
        new: String,
        part: String
    ) async throws {
        let messages = try await diagnostics(old, new)
        #expect(messages == ["step 'main.e' has already run, but its '\(part)' changed in the manifest"])
    }

    @Test(arguments: [
        ("k: w0", "k: w1", "step 'main.c.a' has already run, but its 'with' changed in the manifest"),
        (", with: {k: w0}", "", "step 'main.c.a' has already run, but its 'with' changed in the manifest"),
        (
            "{id: a, graph: s,", "{id: a, graph: t,",
            "step 'main.c.a' has already run, but its 'graph' changed in the manifest"
        ),
        (
            "{id: a, graph: s,", "{id: a, timeout: 9s, graph: s,",
            "step 'main.c.a' has already run, but its 'graph' changed in the manifest"
        ),
        (
            "{id: d,", "{id: d, when: 1 == 1,",
            "step 'main.d' has already run in part, but its 'when' changed in the manifest"
        ),
        (
            "id: c, chain", "id: c, until: {that: 1 == 1}, chain",
            "step 'main.c' has already run, but its 'until' changed in the manifest"
        ),
        ("get: /z", "get: /y", ""),
    ])
    func `a change of a graph or group that has run is rejected`(old: String, new: String, message: String) async throws
    {
        let manifest = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main:
                chain:
                  - {id: c, chain: [{id: a, graph: s, with: {k: w0}}]}
                  - {id: d, chain: [{id: e, get: /e, mock: {}}, {id: f, get: /z, mock: {status: 500}}]}
              s: {inputs: {k: {type: string, default: x}}, chain: [{id: p, post: "/p/${inputs.k}", mock: {}}]}
              t: {inputs: {k: {type: string, default: x}}, chain: [{id: p, post: "/p/${inputs.k}", mock: {}}]}
            """
        let fixture = LibraryFixture(manifest)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        try #require(manifest.contains(old))
        fixture.folder.write("waybill: 1\n\(manifest.replacing(old, with: new))\n", to: "manifest.yaml")
        let error =
            message.isEmpty ? nil : #expect(throws: RunError.self) { try ManifestRun.resume(fixture.results) }
        if message.isEmpty { _ = try ManifestRun.resume(fixture.results) }
        let messages = error?.diagnostics.filter { $0.id == "changed-manifest" }.map(\.message) ?? []
        #expect(messages == (message.isEmpty ? [] : [message]))
    }

    @Test func `a change is reported for the innermost step, with its location`() async throws {
        let manifest = """
            services:
              s:
                baseURL: http://127.0.0.1:1
                headers: {X-Key: "1"}
            graphs:
              main:
                chain:
                  - id: each
                    forEach: {in: [1, 2], as: n, concurrency: 1}
                    chain:
                      - {id: a, get: "/${n}", mock: {body: 1}}
                      - {id: b, when: n == 2, get: /b, mock: {status: 500}}
            """
        let fixture = LibraryFixture(manifest)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        let changed = manifest.replacing("X-Key: \"1\"", with: "X-Key: \"2\"")
        fixture.folder.write("waybill: 1\n\(changed)\n", to: "manifest.yaml")
        let error = #expect(throws: RunError.self) { try ManifestRun.resume(fixture.results) }
        let diagnostics = error?.diagnostics.filter { $0.id == "changed-manifest" } ?? []
        let message = "step 'main.each[1].a' has already run, but its 'headers' changed in the manifest"
        #expect(diagnostics.map(\.message) == [message])
        #expect(diagnostics.first?.notes.map { $0.location.line } == [5])
    }

    @Test(
        arguments: [
            ("    path: /a", "    # a comment\n    path:   '/a'"),
            ("{X-Key: \"1\", X-Other: a}", "\n      X-Other: \"a\"\n      X-Key: '1'"),
            ("    query: {q: \"1\"}\n    retry: {times: 2}", "    retry: {times: 2}\n    query: {q: \"1\"}"),
            ("tls: {verify: true}", "tls: {verify: true}  # as it is"),
            ("a${run.id}", "a${ run.id }"), ("where: item.n > 1", "where: \"${ item.n > 1 }\""),
            ("get: /b", "get: /c"), ("[{n: 1}, {n: 2}]", "[{n: 1}, {n: 3}]"),
            ("{call: e}", "{call: e, name: The first step}"),
        ]
    )
    func `comments, key order, white space and steps that have not run may change`(old: String, new: String)
        async throws
    {
        #expect(try await diagnostics(old, new) == [])
    }

    @Test func `a change of a step is rejected if the run resumes at one of its pages`() async throws {
        // The second page links to itself, which is a failure.
        let manifest = """
            services: {s: {baseURL: "http://127.0.0.1:1", headers: {X-Key: "1"}}}
            graphs:
              main:
                chain:
                  - id: pages
                    get: /a
                    paginate: {cursor: {query: c, from: $.next}, items: $.items}
                    mock: {body: {items: [1], next: 2}}
            """
        let (fixture, error) = try await resume(manifest) { $0.replacing("X-Key: \"1\"", with: "X-Key: \"2\"") }
        withExtendedLifetime(fixture) {
            let message = "step 'main.pages' has already run in part, but its 'headers' changed in the manifest"
            #expect(error?.diagnostics.filter { $0.id == "changed-manifest" }.map(\.message) == [message])
        }
    }

    @Test(arguments: [("post", ["kept-before-finally"]), ("get", [])])
    func `a warning is reported if a completed step is kept although the finally steps have run`(
        method: String,
        ids: [String]
    )
        async throws
    {
        let manifest = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main:
                chain:
                  - {id: create, \(method): /a, mock: {body: 1}}
                  - {id: b, get: /b, mock: {status: 500}}
                finally: [{id: clean, delete: /a, mock: {status: 204}}]
            """
        let fixture = LibraryFixture(manifest)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        let resumption = try RunResumption(of: fixture.results, options: PlanOptions(), allowsOutside: false)
        #expect(resumption.diagnostics.map(\.id.name) == ids)
        #expect(resumption.plan != nil)
    }

    @Test func `only the changed part is marked`() async throws {
        let manifest = Self.manifest.replacing(", equals: [{n: 2}]", with: "")
            .replacing("{X-Key: \"1\", X-Other: a}", with: "\n      X-Key: \"1\"\n      X-Other: a")
        let (fixture, error) = try await resume(manifest) { $0.replacing("X-Other: a", with: "X-Other: b") }
        withExtendedLifetime(fixture) {
            let diagnostics = error?.diagnostics.filter { $0.id == "changed-manifest" } ?? []
            #expect(diagnostics.map { $0.notes.map(\.location.line) } == [[7]])
        }
    }

    @Test func `a change in a graph run by a step is reported for the step inside the graph`() async throws {
        let manifest = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main: {chain: [{id: inner, graph: other}, {get: /b, mock: {status: 500}}]}
              other: {chain: [{id: a, get: /a, query: {q: 1}, mock: {body: 1}}]}
            """
        let (fixture, error) = try await resume(manifest) { $0.replacing("q: 1", with: "q: 2") }
        withExtendedLifetime(fixture) {
            let message = "step 'main.inner.a' has already run, but its 'query' changed in the manifest"
            #expect(error?.diagnostics.filter { $0.id == "changed-manifest" }.map(\.message) == [message])
        }
    }

    @Test func `a schema in a file is compared by its content`() async throws {
        let manifest = Self.manifest.replacing(", equals: [{n: 2}]", with: ", schema: list.json")
        let fixture = LibraryFixture(manifest)
        fixture.folder.write(#"{"type": "array"}"#, to: "list.json")
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        fixture.folder.write("waybill: 1\n# changed\n\(manifest)\n", to: "manifest.yaml")
        fixture.folder.write(#"{"type":   "array"}"#, to: "list.json")
        _ = try await ManifestRun.resume(fixture.results).report
        fixture.folder.write(#"{"type": ["array", "object"]}"#, to: "list.json")
        let error = #expect(throws: RunError.self) { try ManifestRun.resume(fixture.results) }
        #expect(error?.diagnostics.contains { $0.message.contains("its 'expect' changed") } == true)
    }

    @Test(
        arguments: [
            ("{id: a, get: /a, query: {q: \"${data.users[0].n}\"}, mock: {body: 1}}", ""),
            ("{id: a, forEach: {in: data.users, as: u}, get: \"/${u.n}\", mock: {body: 1}}", ""),
            ("{id: a, get: /a, mock: {body: 1}}", nil),
        ]
    )
    func `a data file that a step has used is compared by its content`(step: String, part: String?) async throws {
        let manifest = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            data: {users: {file: users.json}}
            graphs: {main: {chain: [\(step), {get: "/b/${length(data.users)}", mock: {status: 500}}]}}
            """
        let fixture = LibraryFixture(manifest)
        fixture.folder.write(#"[{"n": 1}]"#, to: "users.json")
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        fixture.folder.write(#"[ {"n": 1} ]"#, to: "users.json")
        _ = try await ManifestRun.resume(fixture.results).report
        fixture.folder.write(#"[{"n": 1}, {"n": 2}]"#, to: "users.json")
        guard part != nil else {
            _ = try await ManifestRun.resume(fixture.results).report
            return
        }
        let error = #expect(throws: RunError.self) { try ManifestRun.resume(fixture.results) }
        let message = "step 'main.a' has already run, but its data in 'users.json' changed"
        #expect(error?.diagnostics.filter { $0.id == "changed-manifest" }.map(\.message) == [message])
    }

    @Test func `a run without its record of the manifest cannot be resumed`() async throws {
        let fixture = LibraryFixture(Self.manifest.replacing(", equals: [{n: 2}]", with: ""))
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        fixture.folder.write("", to: "results/sources.json")
        let error = #expect(throws: RunError.self) { try ManifestRun.resume(fixture.results) }
        let message = "sources.json' is missing or damaged"
        #expect(error?.diagnostics.contains { $0.message.hasSuffix(message) } == true)
    }

    @Test func `the folder of a run does not contain the source of the manifest`() async throws {
        let fixture = LibraryFixture(Self.manifest.replacing(", equals: [{n: 2}]", with: ""))
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        let sources = try #require(fixture.folder.read("results/sources.json"))
        #expect(sources.contains("headers X-Key") && !sources.contains("token-a") && !sources.contains("127.0.0.1"))
    }

    @Test func `a run recorded by a version that stored the manifest's source resumes only if it is unchanged`()
        async throws
    {
        let manifest = "waybill: 1\n" + Self.manifest.replacing(", equals: [{n: 2}]", with: "") + "\n"
        let fixture = LibraryFixture(Self.manifest.replacing(", equals: [{n: 2}]", with: ""))
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        fixture.folder.write(manifest, to: "manifest.yaml")
        let quoted = manifest.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        fixture.folder.write("{\"\(fixture.path)\": \"\(quoted)\"}", to: "results/sources.json")
        _ = try await ManifestRun.resume(fixture.results).report
        fixture.folder.write("{\"\(fixture.path)\": \"\(quoted)\"}", to: "results/sources.json")
        fixture.folder.write(manifest + "# changed\n", to: "manifest.yaml")
        let error = #expect(throws: RunError.self) { try ManifestRun.resume(fixture.results) }
        #expect(error?.diagnostics.contains { $0.message.contains("another version of Waybill") } == true)
    }

    /// Runs a manifest, in which a step fails, changes it, and returns the error of resuming the run.
    private func resume(
        _ manifest: String,
        _ change: (String) -> String
    ) async throws -> (LibraryFixture, RunError?) {
        let fixture = LibraryFixture(manifest)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        #expect(try await run.report.outcome == .failed)
        fixture.folder.write("waybill: 1\n\(change(manifest))\n", to: "manifest.yaml")
        return (fixture, #expect(throws: RunError.self) { try ManifestRun.resume(fixture.results) })
    }
}
