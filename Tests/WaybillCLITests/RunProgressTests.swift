import Testing
import WaybillDiagnostics
import WaybillFormats

@testable import WaybillCLI
@testable import WaybillResults

/// The progress lines of running steps.
struct RunProgressTests {
    private var progress = RunProgress()
    private var seq = 0

    private func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: Int64(seconds * 1e9)) }

    private mutating func take(_ kind: RunEvent.Kind, _ step: String, at seconds: Double) -> String? {
        seq += 1
        let event = RunEvent(seq: seq, at: time(seconds), step: step, kind: kind)
        progress.take(event)
        return progress.dueLine(after: event)
    }

    private func lines(_ columns: Int, rows: Int = 8, at seconds: Double) -> [String] {
        progress.lines(TerminalSize(columns: columns, rows: rows), at: time(seconds), colour: false).map(\.text)
    }

    private mutating func element(_ index: Int, _ outcome: StepOutcome, at seconds: Double) -> String? {
        take(.elementFinished(.init(index: index, outcome: outcome, failure: nil)), "main.items", at: seconds)
    }

    @Test mutating func `the elements of a step have a progress bar, a rate and the remaining time`() {
        _ = take(.stepStarted, "main.items", at: 0)
        _ = take(.elementsStarted(count: 200), "main.items", at: 0)
        for index in 0..<50 { _ = element(index, index < 2 ? .failed : .passed, at: 10) }
        #expect(
            lines(100, at: 10) == [
                "  main.items  ━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  50 of 200, 2 failed, 5.0/s, 30 s left",
                "  1 running, 10 s",
            ]
        )
        #expect(lines(48, at: 10)[0] == "  main.items  50 of 200, 2 failed, 5.0/s")
        for columns in 20...120 {
            for line in progress.lines(TerminalSize(columns: columns, rows: 8), at: time(10), colour: true) {
                #expect(line.width < columns, "\(columns)")
            }
        }
    }

    @Test mutating func `a group has no line while steps inside it are running`() {
        _ = take(.stepStarted, "main.both", at: 0)
        _ = take(.stepStarted, "main.both.a", at: 1)
        _ = take(.stepStarted, "main.both.b", at: 2)
        #expect(lines(80, at: 4) == ["  main.both.a  3 s", "  main.both.b  2 s", "  2 running, 4 s"])
        #expect(lines(80, rows: 3, at: 4) == ["  main.both.a  3 s", "    … and 1 more", "  2 running, 4 s"])
        let passed = StepResult(id: "a", path: "main.both.a", graph: "main", outcome: .passed)
        _ = take(.stepFinished(passed), "main.both.a", at: 5)
        #expect(lines(80, at: 5) == ["  main.both.b  3 s", "  1 passed, 1 running, 5 s"])
    }

    @Test mutating func `pages, polls and transfers are counted`() {
        _ = take(.stepStarted, "main.pull", at: 0)
        _ = take(.pageFinished(.init(number: 1, items: 100, nextPage: nil, records: nil)), "main.pull", at: 1)
        _ = take(.pageFinished(.init(number: 2, items: 50, nextPage: nil, records: nil)), "main.pull", at: 2)
        var events = RunEvent.PageEnd(number: 7, items: 60, nextPage: nil, records: nil)
        events.isOfStream = true
        _ = take(.stepStarted, "main.feed", at: 2)
        _ = take(.pageFinished(events), "main.feed", at: 2)
        _ = take(.stepStarted, "main.wait", at: 2)
        _ = take(.pollFinished(poll: 3, pause: .seconds(1)), "main.wait", at: 3)
        _ = take(.stepStarted, "main.get", at: 3)
        let transfer = ProgressReport(attempt: 1, sent: 0, sentTotal: nil, received: 500, receivedTotal: 1000)
        _ = take(.requestProgress(transfer), "main.get", at: 3)
        #expect(
            lines(100, at: 5) == [
                "  main.pull  page 2, 150 items", "  main.feed  60 events", "  main.wait  polled 3 times, 3 s",
                "  main.get  ━━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌  ↓ 50 %, 500 bytes of 1.0 kB, 250 bytes/s, 2 s left",
                "  4 running, 5 s",
            ]
        )
    }

    @Test mutating func `a log has a line for each step every five seconds`() {
        _ = take(.stepStarted, "main.items", at: 0)
        _ = take(.elementsStarted(count: 4), "main.items", at: 0)
        let lines = [(0, 4.9), (1, 5), (2, 9.9), (3, 10)].map { element($0, .passed, at: $1) }
        #expect(lines.map { $0 != nil } == [false, true, false, true])
        #expect(lines[1] == "main.items  2 of 4, 0.4/s, 5 s left")
    }

    @Test mutating func `a finished step has no line`() {
        for index in 0..<500 {
            let path = "main.\(index)"
            _ = take(.stepStarted, path, at: 0)
            _ = take(.stepFinished(StepResult(id: "a", path: path, graph: "main", outcome: .passed)), path, at: 1)
        }
        #expect(lines(80, at: 1) == ["  500 passed, 1 s"])
    }
}

/// The lines at the bottom of a terminal.
struct LiveRegionTests {
    private final class Owner {}

    private static func line(_ text: String) -> StyledText {
        var line = StyledText(colour: true)
        line.append(text, .good)
        return line
    }

    @Test func `all rows of wrapped lines are erased`() {
        var region = LiveRegion()
        let owner = Owner()
        region.add(ObjectIdentifier(owner)) { _ in [Self.line("0123456789"), Self.line("日本語")] }
        let wide = TerminalSize(columns: 20, rows: 10)
        #expect(region.erasing(wide) == "")
        #expect(region.drawing(wide) == "\u{1B}[32m0123456789\u{1B}[0m\n\u{1B}[32m日本語\u{1B}[0m")
        #expect(region.erasing(wide) == "\r\u{1B}[1A\u{1B}[J")
        _ = region.drawing(wide)
        // With 4 columns, the first line takes three rows and the second takes two.
        #expect(region.erasing(TerminalSize(columns: 4, rows: 10)) == "\r\u{1B}[4A\u{1B}[J")
        region.remove(ObjectIdentifier(owner))
        #expect(!region.isActive)
        #expect(region.drawing(wide) == "")
    }
}
