import Synchronization
import Testing
import WaybillFormats
import WaybillJSON

@testable import WaybillCLI
@testable import WaybillResults

/// The end of what a run prints.
struct RunPrinterTests {
    /// Collects what a printer writes.
    private final class Collector: Sendable {
        let text = Mutex("")
    }

    private static func printer(to collector: Collector) -> RunPrinter {
        RunPrinter(
            Output(noColour: true),
            quiet: false,
            verbose: false,
            to: .held(manifest: "m.yaml") { text in collector.text.withLock { $0 += text } }
        )
    }

    @Test(arguments: [
        (RunOutcome.interrupted, [StepOutcome.passed, .tolerated], false),
        (.interrupted, [.passed, .skipped], true),
        (.interrupted, [.passed, .cancelled], true),
        (.failed, [.passed, .failed], true),
        // A graph may fail after its steps.
        (.failed, [.passed], true),
        (.passed, [.passed, .skipped], false),
    ])
    func `resume is offered for what it can continue`(outcome: RunOutcome, steps: [StepOutcome], isOffered: Bool) {
        let time = Timestamp(nanoseconds: 0)
        let result = RunResult(
            id: RunID(),
            manifest: "m.yaml",
            environment: nil,
            startedAt: time,
            finishedAt: time,
            time: .zero,
            outcome: outcome,
            steps: steps.enumerated().map { StepResult(id: "s\($0)", path: "main.s\($0)", graph: "main", outcome: $1) }
        )
        let collector = Collector()
        let printer = Self.printer(to: collector)
        printer.finish(result, folder: "out")
        let text = collector.text.withLock { $0 }
        #expect(text.contains("results in out\n"))
        #expect(text.contains("waybill resume out continues it\n") == isOffered, "\(text)")
    }

    @Test func `a URL of megabytes is shortened where there is no terminal, too`() {
        let collector = Collector()
        let printer = Self.printer(to: collector)
        var step = StepResult(id: "a", path: "main.a", graph: "main", outcome: .passed)
        step.method = "GET"
        step.url = Redactor().text("http://s/" + String(repeating: "x", count: 3_000_000) + "/end")
        let kind = RunEvent.Kind.stepFinished(step, kept: nil)
        printer.receive(RunEvent(seq: 1, at: Timestamp(nanoseconds: 0), step: "main.a", kind: kind))
        let text = collector.text.withLock { $0 }
        #expect(
            text.utf8.count < 20_000 && text.contains("GET http://s/x") && text.contains("x/end"),
            "\(text.prefix(200))"
        )
    }

    @Test func `attempts are counted for each page`() {
        var numbers = RequestNumbers()
        func take(_ kind: RunEvent.Kind) {
            numbers.take(RunEvent(seq: 1, at: Timestamp(nanoseconds: 0), step: "main.a", kind: kind))
        }
        func send(_ attempt: Int) {
            let url = Redactor().text("http://s/")
            take(.requestWillSend(.init(attempt: attempt, method: "GET", url: url, headers: [])))
        }
        send(1)
        send(2)
        #expect(numbers.page(of: "main.a") == nil)
        #expect(numbers.number(ofAttempt: 2, of: "main.a") == 2)
        take(.pageFinished(.init(number: 1, items: 1, nextPage: Redactor().json(.string("2")), records: nil)))
        send(3)
        #expect(numbers.page(of: "main.a") == 2)
        #expect(numbers.number(ofAttempt: 3, of: "main.a") == 1)
        #expect(numbers.number(ofAttempt: 4, of: "main.a") == 2)
        // Another try of 'until' starts with the first page.
        take(.pageFinished(.init(number: 2, items: 1, nextPage: nil, records: nil)))
        #expect(numbers.page(of: "main.a") == nil)
    }
}
