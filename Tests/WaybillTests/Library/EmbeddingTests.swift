import Testing
import Waybill
import WaybillTestSupport

/// What a run does to the process and the folders of its program, and where it gets secrets and states from.
@Suite(.timeLimit(.minutes(5))) struct EmbeddingTests {
    private static let mocked = ManifestRun.Options(usesMock: true)

    @Test func `a run without a folder has its results in memory, and writes nothing`() async throws {
        let fixture = LibraryFixture(
            LibraryFixture.shop.replacing(
                "  main:\n",
                with: "  main:\n    state: {n: {default: 1, next: state.n + 1}}\n"
            )
            .replacing("outputs: {user: inputs.username,", with: "outputs: {n: state.n, user: inputs.username,")
        )
        // The current folder may have the results of other runs.
        let before = TemporaryFolder.files(in: "waybill-results", ending: ".json")
        let run = try fixture.plan().run(options: Self.mocked)
        let report = try await run.report
        #expect(report.outcome == .passed)
        #expect(report.outputs["main"]?["account"] == 7)
        #expect(report.outputs["main"]?["n"] == 1)
        #expect(report.folder == nil)
        #expect(try await run.events().last?.type == "run.finished")
        #expect(fixture.folder.names() == ["manifest.yaml"])
        #expect(TemporaryFolder.files(in: "waybill-results", ending: ".json") == before)
    }

    @Test(arguments: [
        "download: {to: file.bin}", "forEach: {in: [1], as: x}, write: {to: file.ndjson}",
    ])
    func `a run that writes files needs a folder`(key: String) async throws {
        let fixture = LibraryFixture(
            "graphs: {main: {chain: [{id: a, get: \"http://127.0.0.1/\", mock: {body: {a: 1}}, \(key)}]}}"
        )
        let run = try fixture.plan().run(options: Self.mocked)
        let error = try #require(await #expect(throws: RunError.self) { try await run.report })
        #expect(error.code == .missingFolder)
        #expect(try await fixture.plan().run(results: fixture.results, options: Self.mocked).report.outcome == .passed)
    }

    @Test func `secrets come from their source, and from the environment if it has none`() async throws {
        let fixture = LibraryFixture(
            """
            secrets: {one: {env: ONE}, two: {env: TWO}, unused: {env: UNUSED}}
            graphs:
              main:
                chain: [{id: a, get: "http://a.example/${secrets.one}/${secrets.two}"}]
            """
        )
        let transport = TransportTests.Recorder { _ in .init() }
        let options = ManifestRun.Options(
            transport: transport,
            secrets: { name in
                if name == "unused" { throw CancellationError() }
                return name == "one" ? "first" : nil
            }
        )
        let plan = try fixture.plan(variables: ["ONE": "other", "TWO": "second"])
        #expect(try await plan.run(options: options).report.outcome == .passed)
        #expect(transport.requests.map(\.url) == ["http://a.example/first/second"])
    }

    @Test func `a source of secrets that fails ends the run before anything is sent`() async throws {
        struct Sealed: Error {}
        let fixture = LibraryFixture(
            "secrets: {one: {env: ONE}}\ngraphs: {main: {chain: [{get: \"http://a.example/${secrets.one}\"}]}}"
        )
        let run = try fixture.plan().run(options: ManifestRun.Options(secrets: { _ in throw Sealed() }))
        let error = try #require(await #expect(throws: RunError.self) { try await run.events() })
        #expect(error.code == .secretSource)
        #expect(error.message == "could not get the value of the secret 'one': Sealed()")
    }

    @Test func `a run whose source of secrets does not return can be cancelled`() async throws {
        let fixture = LibraryFixture(
            "secrets: {one: {env: ONE}}\ngraphs: {main: {chain: [{get: \"http://a.example/${secrets.one}\"}]}}"
        )
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let options = ManifestRun.Options(secrets: { _ in
            ask.finish()
            // Another task, so that the cancellation of this one ends nothing.
            await Task { try? await Task.sleep(for: .seconds(30)) }.value
            return "x"
        })
        let run = try fixture.plan().run(options: options)
        for await _ in asked {}
        run.cancel()
        let error = try #require(await #expect(throws: RunError.self) { try await run.report })
        #expect(error.code == .stopped)
    }

    @Test func `a path with a NUL is refused`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let path = "\(fixture.folder.path)/a"
        let run = try fixture.plan().run(results: path + "\0b", options: Self.mocked)
        await #expect(throws: RunError.self) { try await run.report }
        let report = ManifestRun.Report(outcome: .passed)
        #expect(throws: RunError.self) { try report.write(.junit, to: path + "\0b") }
        #expect(fixture.folder.names() == ["manifest.yaml"])
    }

    @Test func `reports of an interrupted run without a folder have an error`() throws {
        let report = ManifestRun.Report(outcome: .interrupted)
        #expect(try report.text(in: .junit).contains("errors=\"1\""))
        #expect(try report.text(in: .tap).contains("Bail out!"))
    }

    @Test func `the error of a source of secrets does not disclose other secrets`() async throws {
        struct Denied: Error { let token: String }
        let fixture = LibraryFixture(
            """
            secrets: {one: {env: ONE}, two: {env: TWO}}
            graphs: {main: {chain: [{get: "http://a.example/${secrets.one}/${secrets.two}"}]}}
            """
        )
        let options = ManifestRun.Options(secrets: { name in
            guard name == "two" else { return "first-secret-1" }
            throw Denied(token: "first-secret-1")
        })
        let run = try fixture.plan().run(options: options)
        let error = try #require(await #expect(throws: RunError.self) { try await run.report })
        #expect(error.message.hasSuffix("Denied(token: \"***\")"))
    }

    @Test func `nothing is merged, and no mock server has an impossible port`() async throws {
        await #expect(throws: RunError.self) { try await ManifestRun.merge([], into: "/nowhere") }
        let manifest = try Manifest(text: "waybill: 1\ngraphs: {main: {chain: [{values: {x: 1}}]}}\n", path: "a.yaml")
        for port in [-1, 65_536, .max] {
            #expect(throws: RunError.self) { try ManifestMockServer(for: manifest, port: port) }
        }
    }

    @Test func `variables are added to those of the process`() async throws {
        let fixture = LibraryFixture(
            """
            inputs: {path: {type: string, env: PATH}, own: {type: string, env: WAYBILL_TEST_OWN}}
            graphs: {main: {chain: [{id: a, values: {x: "${inputs.own}"}}], outputs: {path: inputs.path, own: inputs.own}}}
            """
        )
        let report = try await fixture.plan(variables: ["WAYBILL_TEST_OWN": "x"]).run().report
        #expect(report.outputs["main"]?["own"] == "x")
        #expect(report.outputs["main"]?["path"]?.string?.isEmpty == false)
    }

    @Test func `a state file holds for a run and for its resumption`() async throws {
        let manifest = """
            graphs:
              main:
                state: {n: {default: 1, next: state.n + 1}}
                chain: [{id: a, get: "http://a.example/"}]
            """
        let fixture = LibraryFixture(manifest)
        let (one, other) = ("\(fixture.folder.path)/one.json", "\(fixture.folder.path)/other.json")
        let broken = TransportTests.Recorder { _ in .init(status: 500) }
        let working = TransportTests.Recorder { _ in .init() }
        let failed = try fixture.plan()
            .run(results: fixture.results, options: ManifestRun.Options(transport: broken, stateFile: one))
        #expect(try await failed.report.outcome == .failed)
        let resumed = try ManifestRun.resume(
            fixture.results,
            options: ManifestRun.Options(transport: working, stateFile: other)
        )
        #expect(try await resumed.report.outcome == .passed)
        #expect(fixture.folder.read("one.json") == nil)
        #expect(fixture.folder.read("other.json")?.contains("\"n\": 2") == true)
        let next = try fixture.plan().run(options: ManifestRun.Options(transport: working, stateFile: other))
        #expect(try await next.report.outcome == .passed)
        #expect(fixture.folder.read("other.json")?.contains("\"n\": 3") == true)
    }

    @Test func `a path that no step has is an error`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let paused = try fixture.plan().run(options: ManifestRun.Options(usesMock: true, pausedSteps: ["main.acount"]))
        let error = try #require(await #expect(throws: RunError.self) { try await paused.events() })
        #expect(error.code == .unknownStep)
        #expect(error.message == "no step has the path 'main.acount'; did you mean 'main.account'?")
        let run = try fixture.plan().run(options: Self.mocked)
        for body in [run.cancel(step:), run.pause(step:), run.unpause(step:)] as [(String) throws -> Void] {
            #expect(throws: RunError.self) { try body("main.nothing") }
            #expect(throws: Never.self) { try body("main") }
        }
        let unknown = try #require(#expect(throws: RunError.self) { try run.cancel(endpoint: "acount") })
        #expect(unknown.code == .unknownEndpoint)
        #expect(unknown.message == "no step calls an endpoint with the name 'acount'; did you mean 'account'?")
        #expect(throws: Never.self) { try run.cancel(endpoint: "orders") }
        run.unpause()
        run.cancelAll()
        _ = try await run.report
    }

    @Test func `failures of steps have no words of the command line`() async throws {
        let fixture = LibraryFixture(
            """
            graphs:
              main:
                onFailure: continue
                batch:
                  - {id: a, get: "http://a.example/", expect: {snapshot: a.json}}
                  - {id: b, values: {x: "file(concat('/etc', '/hostname'))"}}
            """
        )
        let transport = TransportTests.Recorder { _ in
            ManifestTransportResponse(headers: ["Content-Type": "application/json"], body: [0x31])
        }
        let report = try await fixture.plan().run(options: ManifestRun.Options(transport: transport)).report
        let messages = report.steps.compactMap { $0.failure?.message.description }
        #expect(messages.count == 2)
        #expect(messages.joined().contains("'updatesSnapshots: true' creates it"), "\(messages)")
        #expect(messages.joined().contains("('allowsOutside: true' allows that)"), "\(messages)")
        #expect(!messages.joined().contains("--"), "\(messages)")
    }

    @Test func `errors have no words of the command line`() throws {
        let fixture = LibraryFixture(
            "inputs: {a: string}\ngraphs: {main: {chain: [{get: \"http://a.example/${inputs.a}\"}]}}"
        )
        fixture.folder.write("waybill: 1\n", to: "a.yaml")
        let inner = fixture.folder.write(
            "waybill: 1\ninclude: [../a.yaml]\ngraphs: {main: {chain: [{values: {x: 1}}]}}\n",
            to: "inner/b.yaml"
        )
        let outside = Manifest.diagnostics(contentsOf: inner)
        #expect(outside.map(\.id) == ["outside-folder"])
        #expect(outside.flatMap(\.help) == ["Pass 'allowsOutside: true' if this is intended."])
        let error = try #require(#expect(throws: ManifestError.self) { try fixture.plan() })
        #expect(error.diagnostics.flatMap(\.help) == ["Pass it in 'inputs', or give it a default."])
        #expect(!"\(error)".contains("--input"))
    }
}
