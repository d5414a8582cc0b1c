import WaybillDiagnostics
import WaybillFormats
import WaybillResults

/// The running steps of a run, with counts: for the last lines of a terminal, and for occasional lines in a log.
struct RunProgress {
    /// A step that is running.
    private struct Step {
        var startedAt: Timestamp
        /// When the last log line was due.
        var lastLine: Timestamp
        /// The number of running steps inside it. These have their own lines.
        var inner = 0
        /// For a step with `forEach`: the number of elements, and the outcomes so far.
        var elements: (total: Int, counts: OutcomeCounts)?
        /// For a step with `paginate`: the numbers of pages and items so far; for one with `stream`, 0 and that of events.
        var pages: (count: Int, items: Int)?
        /// For a step with `until`: the number of polls that did not meet the condition.
        var polls = 0
        /// The transfer in flight, once it takes long enough to be reported, and when it was first reported.
        var transfer: (progress: ProgressReport, firstAt: Timestamp)?
    }

    /// The minimum time between two log lines about a running step, in nanoseconds.
    private static let logInterval = Duration.seconds(5)

    private var steps: [String: Step] = [:]
    /// The paths of the running steps, in the order in which they started.
    private var order: [String] = []
    private var counts = OutcomeCounts()
    private var startedAt: Timestamp?

    /// Updates the progress with an event.
    mutating func take(_ event: RunEvent) {
        if startedAt == nil { startedAt = event.at }
        guard let path = event.step else { return }
        switch event.kind {
        case .stepStarted: start(path, at: event.at)
        case .requestWillSend where !path.contains("["): start(path, at: event.at)
        case .elementsStarted(let count, _): steps[path]?.elements = (count, OutcomeCounts())
        case .elementFinished(let end):
            steps[path]?.elements?.counts[end.outcome] += 1
            if steps.count > 1 { finish("\(path)[\(end.index)]") }
        case .pageFinished(let page):
            let before = steps[path]?.pages?.items ?? 0
            steps[path]?.pages = (page.isOfStream ? 0 : page.number, before + page.items)
        case .pollFinished(let poll, _): steps[path]?.polls = poll
        case .requestProgress(let progress):
            // An element has a line only if its transfer takes long.
            start(path, at: event.at)
            let firstAt = steps[path]?.transfer?.firstAt ?? event.at
            steps[path]?.transfer = (progress, firstAt)
        case .responseFinished, .requestRetrying: steps[path]?.transfer = nil
        case .stepFinished(let result, _):
            finish(path)
            if result.isCounted { counts[result.outcome] += 1 }
        case .stepSkipped(_, group: nil): counts[.skipped] += 1
        default: break
        }
    }

    private mutating func start(_ path: String, at time: Timestamp) {
        guard steps[path] == nil else { return }
        steps[path] = Step(startedAt: time, lastLine: time)
        order.append(path)
        if let parent = Self.parent(of: path) { steps[parent]?.inner += 1 }
    }

    private mutating func finish(_ path: String) {
        guard steps.removeValue(forKey: path) != nil else { return }
        if let parent = Self.parent(of: path) { steps[parent]?.inner -= 1 }
        // Steps that finished are removed from the order from time to time.
        if order.count > 2 * steps.count + 64 { order.removeAll { steps[$0] == nil } }
    }

    /// `main.both` for `main.both.login`; `nil` for an element, of which a `forEach` may have many at once.
    private static func parent(of path: String) -> String? {
        guard !path.hasSuffix("]"), let dot = path.lastIndex(of: ".") else { return nil }
        return String(path[..<dot])
    }

    // MARK: Lines

    /// Returns the log line that is due for the step of an event. One is due every five seconds, so that short steps
    /// have none.
    mutating func dueLine(after event: RunEvent) -> String? {
        guard let path = event.step, var step = steps[path],
            step.lastLine.duration(to: event.at) >= Self.logInterval
        else { return nil }
        step.lastLine = event.at
        steps[path] = step
        let words = details(of: step, at: event.at).map(\.text)
        return words.isEmpty ? nil : "\(path)  \(words.joined(separator: ", "))"
    }

    /// Returns the lines for a terminal: the running steps that started first, and a summary.
    func lines(_ size: TerminalSize, at now: Timestamp, colour: Bool) -> [StyledText] {
        let running = order.filter { path in steps[path].map { $0.inner == 0 } ?? false }
        var lines: [StyledText] = []
        for path in running.prefix(max(0, size.rows - 2)) {
            if let step = steps[path] { lines.append(line(of: step, at: path, size.columns - 1, now, colour)) }
        }
        if running.count > lines.count {
            var line = StyledText(colour: colour)
            line.append("    … and \(running.count - lines.count) more", .faint)
            lines.append(line)
        }
        lines.append(sum(running.count, now, colour))
        return lines
    }

    private func sum(_ running: Int, _ now: Timestamp, _ colour: Bool) -> StyledText {
        var parts: [(String, TerminalStyle?)] = []
        if counts[.failed] > 0 { parts.append(("\(counts[.failed]) failed", .bad)) }
        if counts[.tolerated] > 0 { parts.append(("\(counts[.tolerated]) tolerated", .warning)) }
        if counts[.passed] > 0 { parts.append(("\(counts[.passed]) passed", .good)) }
        if running > 0 { parts.append(("\(running) running", nil)) }
        if let startedAt { parts.append((Self.time(startedAt.duration(to: now)), nil)) }
        var line = StyledText(colour: colour)
        line.append("  ")
        for (index, part) in parts.enumerated() {
            if index > 0 { line.append(", ") }
            line.append(part.0, part.1)
        }
        return line
    }

    /// `  main.items  ━━━━━━━━╌╌╌╌  34 of 200, 2 failed, 12/s, 14 s left`
    private func line(
        of step: Step,
        at path: String,
        _ columns: Int,
        _ now: Timestamp,
        _ colour: Bool
    ) -> StyledText {
        var line = StyledText(colour: colour)
        line.append("  \(PrintableText.shortened(path, to: max(12, columns / 2 - 4)))  ")
        var details = details(of: step, at: now)
        if details.isEmpty { details = [(Self.time(step.startedAt.duration(to: now)), .faint)] }
        var width = line.width + details.reduce(0) { $0 + PrintableText.columns(of: $1.text) + 2 }
        if let done = Self.fraction(step) {
            let bar = min(24, columns - width)
            if bar >= 6 {
                let filled = Int(Double(bar) * done)
                line.append(String(repeating: "━", count: filled), Self.hasFailures(step) ? .warning : .good)
                line.append(String(repeating: "╌", count: bar - filled), .faint)
                line.append("  ")
            }
        }
        // On a narrow terminal, the last details are dropped until the rest fits.
        while details.count > 1, width > columns, let last = details.popLast() {
            width -= PrintableText.columns(of: last.text) + 2
        }
        for (index, detail) in details.enumerated() {
            if index > 0 { line.append(", ") }
            line.append(PrintableText.shortened(detail.text, to: max(1, columns - line.width)), detail.style)
        }
        return line
    }

    /// Returns the progress of a step in words.
    private func details(of step: Step, at now: Timestamp) -> [(text: String, style: TerminalStyle?)] {
        if let transfer = step.transfer {
            let seconds = Self.seconds(from: transfer.firstAt, to: now)
            return TransferText.details(transfer.progress, seconds: seconds).map { ($0, nil) }
        }
        if let elements = step.elements {
            let failed = elements.counts[.failed] + elements.counts[.tolerated]
            let done = elements.counts.total
            var details: [(String, TerminalStyle?)] = [("\(done) of \(elements.total)", nil)]
            if failed > 0 { details.append(("\(failed) failed", .bad)) }
            let rate = Double(done) / Self.seconds(from: step.startedAt, to: now)
            if done > 0, rate.isFinite {
                details.append(
                    ("\(rate < 10 ? String((rate * 10).rounded() / 10) : String(Int(rate.rounded())))/s", nil)
                )
                let rest = Double(elements.total - done) / rate
                if rest < 1e6, done < elements.total {
                    details.append(("\(Self.time(.seconds(Int64(rest.rounded(.up))))) left", .faint))
                }
            }
            return details
        }
        if let pages = step.pages {
            if pages.count == 0 { return [(pages.items == 1 ? "1 event" : "\(pages.items) events", nil)] }
            return [("page \(pages.count)", nil), ("\(pages.items) items", nil)]
        }
        if step.polls > 0 {
            return [
                ("polled \(step.polls == 1 ? "once" : "\(step.polls) times")", nil),
                (Self.time(step.startedAt.duration(to: now)), .faint),
            ]
        }
        return []
    }

    private static func fraction(_ step: Step) -> Double? {
        if let transfer = step.transfer { return TransferText.fraction(transfer.progress) }
        guard let elements = step.elements, elements.total > 0 else { return nil }
        return Double(elements.counts.total) / Double(elements.total)
    }

    private static func hasFailures(_ step: Step) -> Bool {
        step.elements.map { $0.counts[.failed] + $0.counts[.tolerated] > 0 } ?? false
    }

    private static func seconds(from start: Timestamp, to end: Timestamp) -> Double {
        max(0, start.duration(to: end) / .seconds(1))
    }

    /// Returns the duration of something that is still running, in seconds, minutes and hours.
    static func time(_ duration: Duration) -> String {
        let seconds = max(0, Int(duration / .seconds(1)))
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
}
