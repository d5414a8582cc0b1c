import Synchronization
import Testing
import Waybill
import WaybillDiagnostics
import WaybillTestSupport

/// Observers that receive the events of a run.
@Suite(.timeLimit(.minutes(5))) struct ObserverTests {
    /// Notes the calls it receives.
    private final class Notes: ManifestRun.Observer {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        private func note(_ line: String) { lines.withLock { $0.append(line) } }

        func receive(_ event: ManifestRun.Event) {
            let step = event.step ?? "nothing"
            switch event.kind {
            case .runStarted(let start): note("run \(start.graphs)")
            case .runFinished(let outcome, let counts): note("\(outcome) \(counts[.passed])")
            case .paused: note("pause \(step)")
            case .unpaused: note("unpause \(step)")
            case .graphStarted(let name): note("graph \(name)")
            case .graphFinished(let name, let outcome): note("graph \(name) \(outcome)")
            case .stepStarted: note("step \(step)")
            case .stepSkipped(let reason): note("skip \(step): \(reason)")
            case .stepFinished(let step): note("step \(step.path) \(step.outcome)")
            case .requestWillSend(let request): note("\(request.method) of \(step)")
            case .requestRetrying(let retry): note("again: \(retry.failure.kind)")
            case .responseFinished(let response): note("\(response.status)")
            default: break
            }
        }
    }

    /// Counts all events.
    private final class Counter: ManifestRun.Observer {
        private let state = Mutex<[Int]>([])
        var numbers: [Int] { state.withLock { $0 } }
        func receive(_ event: ManifestRun.Event) { state.withLock { $0.append(event.number) } }
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
        let options = ManifestRun.Options(usesMock: true, observers: [notes])
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
        let options = ManifestRun.Options(usesMock: true, observers: [notes], pausedSteps: ["main.a"])
        let run = try fixture.plan().run(results: fixture.results, options: options)
        for try await event in run where event.kind == .paused { break }
        try run.unpause(step: "main.a")
        _ = try await run.report
        #expect(notes.all.filter { $0.contains("pause") } == ["pause main.a", "unpause main.a"])
    }

    @Test func `an observer also receives the events that a slow reader misses`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let counter = Counter()
        let run = try fixture.plan()
            .run(
                results: fixture.results,
                options: ManifestRun.Options(usesMock: true, observers: [counter], eventCapacity: 1)
            )
        _ = try await run.report
        let last = try #require(await run.events().last)
        #expect(counter.numbers == Array(1...last.number))
    }

    @Test func `an observer can control its run`() async throws {
        /// Stops its run at the first response.
        final class Stopper: ManifestRun.Observer {
            let run = Mutex<ManifestRun?>(nil)
            func receive(_ event: ManifestRun.Event) {
                if case .responseFinished = event.kind { run.withLock { $0?.stop() } }
            }
        }
        let held = try HeldResponses()
        defer { held.stop() }
        let fixture = LibraryFixture(
            "graphs: {main: {chain: [{id: a, get: \"\(held.url)/a\"}, {id: b, get: \"\(held.url)/b\"}]}}"
        )
        let stopper = Stopper()
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(observers: [stopper]))
        stopper.run.withLock { $0 = run }
        held.release()
        let report = try await run.report
        #expect(report.steps.map(\.outcome) == [.passed, .skipped])
        #expect(report.outcome == .interrupted)
    }
}
