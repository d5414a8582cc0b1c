import Testing
import Waybill
import WaybillDiagnostics
import WaybillTestSupport

/// Runs through the public API.
@Suite(.timeLimit(.minutes(5))) struct RunTests {
    @Test func `a run on the mock server emits its events in order and then returns its report`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let run = try fixture.plan(inputs: ["username": "ann"])
            .run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        let events = try await run.events()
        #expect(events.map(\.number) == Array(1...events.count))
        #expect(events.allSatisfy { $0.missedBefore == 0 })
        #expect(
            events.story == [
                "run.started", "graph.started", "step.started main.account", "step.finished main.account",
                "step.started main.orders", "step.finished main.orders", "graph.finished", "run.finished",
            ]
        )
        let report = try await run.report
        #expect(report.outcome == .passed)
        #expect(report.counts[.passed] == 2)
        #expect(report.folder == fixture.results)
        #expect(report.steps.map(\.path) == ["main.account", "main.orders"])
        #expect(report.step(at: "main.orders")?.status == 200)
        #expect(report.startedAt <= report.finishedAt)
        #expect(report.outputs == ["main": ["user": "ann", "account": 7, "totals": [12.5, 3]]])
        struct Outputs: Decodable, Equatable {
            var user: String
            var account: Int
            var totals: [Double]
        }
        let outputs = try report.outputs["main"]?.decode(Outputs.self)
        #expect(outputs == Outputs(user: "ann", account: 7, totals: [12.5, 3]))
        #expect(fixture.folder.read("results/outputs.json") != nil)
    }

    @Test func `the events contain the details of the run's start and of its requests`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        let events = try await run.events()
        guard case .runStarted(let start) = events.first?.kind else {
            Issue.record("the first event is \(events)")
            return
        }
        #expect((start.manifest, start.graphs, start.isMocked) == (fixture.path, ["main"], true))
        let requests = events.compactMap { if case .requestWillSend(let request) = $0.kind { request } else { nil } }
        #expect(requests.map(\.url) == ["http://127.0.0.1:1/api/account", "http://127.0.0.1:1/api/accounts/7/orders"])
        let responses = events.compactMap {
            if case .responseFinished(let response) = $0.kind { response } else { nil }
        }
        #expect(responses.map(\.status) == [200, 200])
        #expect(await run.report(id: start.id))
    }

    @Test func `a failed step is reported with its location and does not throw an error`() async throws {
        let fixture = LibraryFixture(
            "graphs: {main: {chain: [{id: a, get: \"http://127.0.0.1/\", expect: {status: 201}, mock: {body: 1}}, {id: b, get: \"http://127.0.0.1/\"}]}}"
        )
        let report = try await fixture.plan().run(
            results: fixture.results,
            options: ManifestRun.Options(usesMock: true)
        ).report
        #expect(report.outcome == .failed)
        let failure = try #require(report.failedSteps.first?.failure)
        #expect(failure.kind == .status)
        #expect(failure.location?.line == 2)
        #expect(failure.description.hasPrefix("\(fixture.path):2:"))
        #expect(report.steps.map(\.outcome) == [.failed, .skipped])
    }

    @Test func `a run that cannot be recorded or has no value for a secret throws, and its events end`() async throws {
        let fixture = LibraryFixture(
            "secrets: {key: {env: KEY}}\ngraphs: {main: {chain: [{get: \"http://127.0.0.1/\", auth: {bearer: \"${secrets.key}\"}}]}}"
        )
        let lacking = try fixture.plan().run(results: fixture.results)
        let ending = try #require(await #expect(throws: RunError.self) { try await lacking.events() })
        #expect(ending.code == .missingSecret)
        let missing = try #require(await #expect(throws: RunError.self) { _ = try await lacking.report })
        #expect(missing.code == .missingSecret)
        #expect("\(missing)".contains("Return it from 'secrets' in the options") && !"\(missing)".contains("--env"))
        #expect(missing.diagnostics.map(\.id) == ["missing-secret"])
        #expect("\(missing)".contains("secrets: {key: {env: KEY}}"))

        let file = fixture.folder.write("", to: "file")
        let unwritable = try fixture.plan(variables: ["KEY": "x"]).run(results: "\(file)/results")
        let error = try #require(await #expect(throws: RunError.self) { _ = try await unwritable.report })
        #expect(error.code == .unwritableResults)
        #expect(error.diagnostics == [] && "\(error)".contains("\(file)/results"))
    }

    @Test func `a run, its events and its report do not reveal secrets`() async throws {
        let fixture = LibraryFixture(
            """
            secrets: {key: {env: KEY}}
            graphs:
              main:
                chain:
                  - id: a
                    get: "http://127.0.0.1/?key=${secrets.key}"
                    headers: {X-Key: "${secrets.key}", Cookie: a=b}
                    outputs: {echo: $.key}
                    mock: {body: {key: hunter2}}
                outputs: {echo: steps.a.outputs.echo}
            """
        )
        let run = try fixture.plan(variables: ["KEY": "hunter2"])
            .run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        let events = try await run.events()
        let report = try await run.report
        #expect(report.outcome == .passed)
        var dumped = ""
        dump(run, to: &dumped)
        dump(events, to: &dumped)
        dump(report, to: &dumped)
        dump(events.map(\.kind), to: &dumped)
        #expect(dumped.contains("***"))
        #expect(!dumped.contains("hunter2"))
        #expect(!"\(events) \(report.outputs) \(run)".contains("hunter2"))
    }

    @Test func `a slow reader learns how many events it missed, and the run does not wait for it`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let run = try fixture.plan()
            .run(results: fixture.results, options: ManifestRun.Options(usesMock: true, eventCapacity: 2))
        _ = try await run.report
        let events = try await run.events()
        #expect(events.map(\.type) == ["graph.finished", "run.finished"])
        #expect(events.map(\.missedBefore) == [events[0].number - 1, 0])
    }

    @Test func `a loop whose task is cancelled leaves the events to other loops`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let options = ManifestRun.Options(usesMock: true, pausedSteps: ["main.account"])
        let run = try fixture.plan().run(options: options)
        let (paused, pause) = AsyncStream.makeStream(of: Void.self)
        let loop = Task {
            for try await event in run where event.type == "graph.started" { pause.finish() }
        }
        for await _ in paused {}
        loop.cancel()
        try await loop.value
        try run.unpause(step: "main.account")
        #expect(try await run.events().last?.type == "run.finished")
    }

    @Test func `a plan can be run several times`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let plan = try fixture.plan()
        let runs = (0..<3).map {
            plan.run(results: "\(fixture.results)-\($0)", options: ManifestRun.Options(usesMock: true))
        }
        var ids: Set<String> = []
        for run in runs { ids.insert(try await run.report.id) }
        #expect(ids.count == 3)
    }
}

extension ManifestRun {
    fileprivate func report(id: String) async -> Bool { (try? await report.id) == id }
}
