import Testing
import Waybill
import WaybillDiagnostics
import WaybillTestSupport

/// Runs that are controlled from outside while a server holds its responses.
@Suite(.timeLimit(.minutes(5))) struct SteeringTests {
    /// Runs a graph against a server that holds its responses; returns the events, the report, and the requested
    /// targets.
    private func steer(
        _ graph: String,
        _ body: (ManifestRun, HeldResponses) async throws -> Void
    ) async throws -> (story: [String], report: ManifestRun.Report, targets: [String]) {
        let held = try HeldResponses()
        defer { held.stop() }
        let fixture = LibraryFixture(
            """
            services: {s: {baseURL: "\(held.url)"}}
            endpoints: {one: {service: s, path: /one}, two: {service: s, path: /two}}
            graphs: {main: \(graph)}
            """
        )
        let run = try fixture.plan().run(results: fixture.results)
        try await body(run, held)
        let events = try await run.events()
        return (events.story, try await run.report, held.targets)
    }

    @Test func `stop lets requests in flight finish and then only runs the finally steps`() async throws {
        let (_, report, targets) = try await steer(
            "{chain: [{id: a, call: one}, {id: b, call: two}], finally: [{id: f, call: two}]}"
        ) { run, held in
            await held.waitForRequests(1)
            run.stop()
            held.release()
        }
        #expect(report.outcome == .interrupted)
        #expect(report.steps.map(\.outcome) == [.passed, .skipped, .passed])
        #expect(targets == ["/one", "/two"])
    }

    @Test func `cancel ends requests in flight and runs the finally steps`() async throws {
        let (story, report, _) = try await steer("{chain: [{id: a, call: one}], finally: [{id: f, values: {x: 1}}]}") {
            run,
            held in
            await held.waitForRequests(1)
            run.cancel()
        }
        #expect(report.outcome == .interrupted)
        #expect(report.steps.map(\.outcome) == [.cancelled, .passed])
        #expect(story.last == "run.finished")
    }

    @Test func `cancelAll also cancels the finally steps`() async throws {
        let (_, report, _) = try await steer("{chain: [{id: a, values: {x: 1}}], finally: [{id: f, call: one}]}") {
            run,
            held in
            await held.waitForRequests(1)
            run.cancelAll()
        }
        #expect(report.steps.map(\.outcome) == [.passed, .cancelled])
    }

    @Test func `a step is cancelled by its path, and an endpoint by its name`() async throws {
        let graph = "{batch: [{id: a, call: one}, {id: b, call: two}, {id: c, call: one}]}"
        let byPath = try await steer(graph) { run, held in
            await held.waitForRequests(3)
            try run.cancel(step: "main.a")
            try await run.waitForEnds(["main.a"])
            held.release()
        }
        #expect(byPath.report.steps.map(\.outcome) == [.cancelled, .passed, .passed])
        #expect(byPath.report.outcome == .passed)
        let byName = try await steer(graph) { run, held in
            await held.waitForRequests(3)
            try run.cancel(endpoint: "one")
            try await run.waitForEnds(["main.a", "main.c"])
            held.release()
        }
        #expect(byName.report.steps.map(\.outcome) == [.cancelled, .passed, .cancelled])
        #expect(byName.report.outcome == .passed)
    }

    @Test func `a paused run starts nothing until it is unpaused`() async throws {
        let (story, report, targets) = try await steer("{chain: [{id: a, call: one}, {id: b, call: two}]}") {
            run,
            held in
            await held.waitForRequests(1)
            run.pause()
            for try await event in run where event.kind == .paused { break }
            #expect(held.targets == ["/one"])
            run.unpause()
            held.release()
        }
        #expect(story.contains("run.unpaused"))
        #expect(report.outcome == .passed)
        #expect(targets == ["/one", "/two"])
    }

    @Test func `a paused step waits while other steps run`() async throws {
        let (story, report, _) = try await steer(
            "{batch: [{id: a, call: one}, {id: b, needs: [a], call: one}, {id: c, needs: [a], call: two}]}"
        ) { run, held in
            await held.waitForRequests(1)
            try run.pause(step: "main.b")
            held.release()
            try await run.waitForEnds(["main.c"])
            #expect(held.targets == ["/one", "/two"])
            try run.unpause(step: "main.b")
        }
        #expect(story.contains("run.unpaused main.b"))
        #expect(report.outcome == .passed)
    }

    @Test func `a step can be paused before the run starts`() async throws {
        let held = try HeldResponses()
        defer { held.stop() }
        held.release()
        let fixture = LibraryFixture("graphs: {main: {chain: [{id: a, get: \"\(held.url)/a\"}]}}")
        let run = try fixture.plan().run(
            results: fixture.results,
            options: ManifestRun.Options(pausedSteps: ["main.a"])
        )
        for try await event in run where event.kind == .paused {
            #expect(event.step == "main.a")
            break
        }
        #expect(held.targets == [])
        try run.unpause(step: "main.a")
        let outcome = try await run.report.outcome
        #expect(outcome == .passed)
        #expect(held.targets == ["/a"])
    }

    @Test func `cancelling a task that waits for the report cancels the run`() async throws {
        let (_, report, _) = try await steer("{chain: [{id: a, call: one}]}") { run, held in
            await held.waitForRequests(1)
            let waiting = Task { try await run.report.outcome }
            waiting.cancel()
            let outcome = try await waiting.value
            #expect(outcome == .interrupted)
        }
        #expect(report.steps.map(\.outcome) == [.cancelled])
    }

    @Test func `controlling a finished run has no effect`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        _ = try await run.report
        run.pause()
        try run.cancel(step: "main.account")
        run.stop()
        run.cancelAll()
        run.unpause()
        #expect(try await run.report.outcome == .passed)
    }
}

extension ManifestRun {
    /// Reads events until the steps with the given paths have finished.
    fileprivate func waitForEnds(_ paths: Set<String>) async throws {
        var paths = paths
        for try await event in self {
            if case .stepFinished(let step) = event.kind { paths.remove(step.path) }
            if paths.isEmpty { break }
        }
    }
}
