import Testing
import Waybill
import WaybillTestSupport

/// The code of the documentation's articles does what they say.
@Suite(.timeLimit(.minutes(5))) struct ArticleTests {
    @Test(arguments: Article.names.filter { $0 != "Waybill" })
    func `every block of an article is compiled code`(name: String) throws {
        let article = try Article(name)
        #expect(!article.blocks("swift").isEmpty)
        #expect(article.blocks("swift") == article.snippets)
    }

    @Test func `the first article computes the spending from its manifest, and resumes the run`() async throws {
        let folder = TemporaryFolder()
        let text = try #require(try Article("GettingStarted").blocks("yaml").first)
        let path = folder.write(text + "\n", to: "shop.yaml")
        let plan = try plan(forUser: "ann", manifest: path)
        let spending = try #require(await spending(plan, results: "\(folder.path)/results"))
        #expect((spending.account, spending.spent) == (7, 15.5))
        #expect(try await finish("\(folder.path)/results") == .passed)
    }

    private static func answer(to target: String) -> ServerResponse {
        ServerResponse(status: target == "/a" ? 404 : 200, body: Array("0123456789".utf8))
    }

    /// Calls the body with a plan of two steps, of which a server rejects the first.
    private func refusing(_ body: (RunPlan, String, LoopbackServer) async throws -> Void) async throws {
        try await LoopbackServer.run(answer: { request in
            Self.answer(to: request.target)
        }) { server in
            let fixture = LibraryFixture(
                """
                graphs:
                  main:
                    onFailure: continue
                    chain: [{id: a, get: "\(server.url("/a"))"}, {id: b, get: "\(server.url("/b"))"}]
                """
            )
            try await body(fixture.plan(), fixture.results, server)
        }
    }

    @Test func `the second article prints the progress of a run`() async throws {
        try await refusing { plan, results, _ in
            let lines = try await follow(plan.run(results: results))
            #expect(lines == ["main.a …", "main.a tolerated 404", "main.b …", "main.b passed 200"])
        }
    }

    @Test func `the second article counts bytes with an observer`() async throws {
        try await refusing { plan, results, _ in
            let bytes = try await bytesReceived(by: plan, results: results)
            #expect(bytes == ["/a", "/b"].map { Self.answer(to: $0).bytes(to: "GET").count }.reduce(0, +))
        }
    }

    @Test func `the second article stops a run at its first failure`() async throws {
        let held = try HeldResponses()
        defer { held.stop() }
        try await LoopbackServer.run(answer: { _ in ServerResponse(status: 404) }) { server in
            let fixture = LibraryFixture(
                """
                graphs:
                  main:
                    onFailure: continue
                    batch: [{id: a, get: "\(server.url("/a"))"}, {id: b, get: "\(held.url)/b"}]
                """
            )
            let report = try await runUntilFirstFailure(fixture.plan(), results: fixture.results)
            #expect(report.outcome == .interrupted)
            #expect(report.steps.map(\.outcome) == [.tolerated, .cancelled])
        }
    }

    @Test(arguments: [true, false])
    func `the second article makes a step wait for an approval`(isApproved: Bool) async throws {
        try await refusing { plan, results, server in
            let report = try await runAfterApproval(of: "main.b", in: plan, results: results) { isApproved }
            #expect(report.step(at: "main.b")?.outcome == (isApproved ? .passed : .skipped))
            #expect(server.requests.map(\.target) == (isApproved ? ["/a", "/b"] : ["/a"]))
        }
    }

    @Test func `the article on tests replaces servers, secrets and time`() async throws {
        let fixture = LibraryFixture(
            """
            secrets: {key: {env: NO_SUCH_KEY}}
            graphs:
              main:
                chain:
                  - id: a
                    get: "http://shop.example/${secrets.key}"
                    retry: {times: 10, backoff: {first: 1m, factor: 1, max: 1m, jitter: false}}
                    outputs: {id: $.id}
                outputs: {id: steps.a.outputs.id}
            """
        )
        let plan = try fixture.plan()
        let shop = Shop(responses: ["GET http://shop.example/the%20value%20of%20key": .init(json: ["id": 7])])
        #expect(try await outputs(of: plan, from: shop) == ["id": 7])
        let open = try LibraryFixture(
            "graphs: {main: {chain: [{get: \"http://a.example/\", retry: {times: 10, backoff: {first: 1m, factor: 1, max: 1m, jitter: false}}}]}}"
        ).plan()
        #expect(try await timeUntilFailure(of: open, from: shop) == .seconds(600))
    }

    @Test func `the third article lists the diagnostics of manifests`() throws {
        let good = LibraryFixture(LibraryFixture.shop)
        let bad = LibraryFixture("graphs: {main: {chain: [{call: a}]}}")
        #expect(lint([good.path]) == ([], true))
        let (lines, passed) = lint([good.path, bad.path])
        #expect(!passed)
        #expect(lines.count == 1 && lines[0].hasPrefix("\(bad.path):2:32: error: "))
    }

    @Test func `the third article underlines errors in unsaved text`() throws {
        let found = underlines(
            in: "waybill: 1\ngraphs: {main: {chain: [{call: abc}]}}\n",
            of: "/nowhere/manifest.yaml"
        )
        #expect(found.map(\.line) == [2])
        #expect(found.map(\.columns) == [32..<35])
    }

    @Test func `the third article lists what is missing for a run`() throws {
        let fixture = LibraryFixture(
            LibraryFixture.shop.replacing(", default: demo", with: "")
                + "\nenvironments: {dev: {inputs: {username: x}}, other: {}}\nsecrets: {key: {env: KEY}}"
        )
        let problems = problems(with: fixture.path, variables: [:])
        #expect(problems.contains { $0.hasSuffix("error: input 'username' has no value [missing-input]") })
        fixture.folder.write(
            "waybill: 1\n" + LibraryFixture.shop + "\nenvironments: {dev: {}}\nsecrets: {key: {env: KEY}}\n",
            to: "manifest.yaml"
        )
        #expect(WaybillTests.problems(with: fixture.path, variables: [:]).first == "KEY is not set")
    }

    @Test func `the first article takes inputs as a type`() throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let plan = try plan(for: Customer(username: "ann"), manifest: fixture.path)
        #expect(plan.value["inputs"]?["username"] == "ann" || plan.text.contains("ann"))
    }

    @Test func `the fourth article reads, compares and reports earlier runs`() async throws {
        let fixture = LibraryFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    get: "http://127.0.0.1/"
                    retry: {times: 1, backoff: {first: 1ms, jitter: false}}
                    mock: [{status: 503}, {body: {n: 1}}]
            """
        )
        let runs = "\(fixture.folder.path)/runs"
        let folders = ["\(runs)/20260101-000000-aaaaaa", "\(runs)/20260102-000000-aaaaaa"]
        let options = ManifestRun.Options(usesMock: true)
        _ = try await fixture.plan().run(results: folders[0], options: options).report
        fixture.folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: a, get: \"http://127.0.0.1/\", mock: {status: 404, body: none}}]}}\n",
            to: "manifest.yaml"
        )
        let report = try await fixture.plan().run(results: folders[1], options: options).report
        let summaries = try summaries(ofRunsIn: runs)
        #expect(summaries.count == 2 && summaries[0].contains("main.a failed 404"))
        #expect(try await retries(in: folders[0]) == ["main.a": 1])
        #expect(try responses(toFailedStepsOf: report) == ["main.a": "none"])
        #expect(try newFailures(in: folders[1], since: folders[0]) == ["main.a"])
        try writeReports(of: report, to: "\(fixture.folder.path)/reports")
        #expect(fixture.folder.names(in: "reports") == ["junit.xml", "index.html"])
        #expect(checkHeadline())
    }
}
