import Synchronization
import Testing
import Waybill
import WaybillDiagnostics
import WaybillTestSupport

/// Observers that receive events as method calls.
@Suite(.timeLimit(.minutes(5))) struct ObserverTests {
    /// Notes the calls it receives.
    private final class Notes: Run.Observer {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        private func note(_ line: String) { lines.withLock { $0.append(line) } }

        func runWillStart(_ start: Run.Start) { note("run \(start.graphs)") }
        func runDidFinish(_ outcome: Run.Outcome, _ counts: Run.Counts) { note("\(outcome) \(counts.passed)") }
        func runDidPause(step: String?) { note("pause \(step ?? "run")") }
        func runDidUnpause(step: String?) { note("unpause \(step ?? "run")") }
        func graphWillStart(_ name: String) { note("graph \(name)") }
        func graphDidFinish(_ name: String, _ outcome: Run.StepOutcome) { note("graph \(name) \(outcome)") }
        func stepWillStart(_ path: String) { note("step \(path)") }
        func stepWasSkipped(_ path: String, _ reason: Run.SkipReason) { note("skip \(path): \(reason)") }
        func stepDidFinish(_ step: Run.Step) { note("step \(step.path) \(step.outcome)") }
        func requestWillSend(_ request: Run.Request, step: String?) {
            note("\(request.method) of \(step ?? "nothing")")
        }
        func requestWillRetry(_ retry: Run.Retry, step: String?) { note("again: \(retry.failure.kind)") }
        func responseDidFinish(_ response: Run.Response, step: String?) { note("\(response.status)") }
    }

    /// Uses the default implementations.
    private struct Indifferent: Run.Observer {}

    /// Counts all events.
    private final class Counter: Run.Observer {
        private let state = Mutex<[Int]>([])
        var numbers: [Int] { state.withLock { $0 } }
        func run(did event: Run.Event) { state.withLock { $0.append(event.number) } }
    }

    @Test func `an observer receives all events in order`() async throws {
        let fixture = LibraryFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    get: "http://127.0.0.1/"
                    retry: {times: 1, backoff: {first: 1ms, jitter: false}}
                    mock: [{status: 503}, {body: {}}]
                  - {id: b, when: "false", get: "http://127.0.0.1/"}
            """
        )
        let notes = Notes()
        let options = Run.Options(usesMock: true, observers: [notes, Indifferent()])
        _ = try await fixture.plan().run(results: fixture.results, options: options).report
        #expect(
            notes.all == [
                "run [\"main\"]", "graph main", "step main.a", "GET of main.a", "503", "again: status", "GET of main.a",
                "200", "step main.a passed", "skip main.b: condition", "graph main passed", "passed 1",
            ]
        )
    }

    @Test func `an observer receives pauses and resumptions`() async throws {
        let fixture = LibraryFixture("graphs: {main: {chain: [{id: a, get: \"http://127.0.0.1/\", mock: {body: {}}}]}}")
        let notes = Notes()
        let options = Run.Options(usesMock: true, observers: [notes], pausedSteps: ["main.a"])
        let run = try fixture.plan().run(results: fixture.results, options: options)
        for await event in run where event.kind == .paused { break }
        run.unpause(step: "main.a")
        _ = try await run.report
        #expect(notes.all.filter { $0.contains("pause") } == ["pause main.a", "unpause main.a"])
    }

    @Test func `an observer also receives the events that a slow reader misses`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let counter = Counter()
        let run = try fixture.plan()
            .run(results: fixture.results, options: Run.Options(usesMock: true, observers: [counter], eventCapacity: 1))
        _ = try await run.report
        let last = try #require(await run.events().last)
        #expect(counter.numbers == Array(1...last.number))
    }

    @Test func `an observer can control its run`() async throws {
        /// Stops its run at the first response.
        final class Stopper: Run.Observer {
            let run = Mutex<Run?>(nil)
            func responseDidFinish(_ response: Run.Response, step: String?) { run.withLock { $0?.stop() } }
        }
        let held = try HeldResponses()
        defer { held.stop() }
        let fixture = LibraryFixture(
            "graphs: {main: {chain: [{id: a, get: \"\(held.url)/a\"}, {id: b, get: \"\(held.url)/b\"}]}}"
        )
        let stopper = Stopper()
        let run = try fixture.plan().run(results: fixture.results, options: Run.Options(observers: [stopper]))
        stopper.run.withLock { $0 = run }
        held.release()
        let report = try await run.report
        #expect(report.steps.map(\.outcome) == [.passed, .skipped])
        #expect(report.outcome == .interrupted)
    }
}
