import Synchronization
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillResults

/// Prints the progress of a run for people: a line for each step, and each failure in full at the end.
final class RunPrinter: RunObserver {
    /// Where the text goes.
    enum Destination: Sendable {
        case output
        /// Standard error, because standard output is for data.
        case error
        /// A function that prints the text later. `manifest` is the path of the manifest, which is shown above the
        /// lines of the running steps. `isWhole` is whether the text of the run is printed in one piece; failures are
        /// then printed only at its end.
        case held(manifest: String, isWhole: Bool = false, @Sendable (String) -> Void)
    }

    private struct State {
        var progress = RunProgress()
        /// The number of failed elements of each step that were printed when they failed, and of those that passed.
        var printedElements: [String: Int] = [:]
        var printedPasses: [String: Int] = [:]
        /// The steps with `forEach` whose elements consist of steps.
        var groups: Set<String> = []
        /// The numbers of the pages and attempts, for `-v`.
        var numbers = RequestNumbers()
        /// The locations of session failures. Each step that needs a failed session fails at the same location.
        var sessionFailures: Set<SourceSpan> = []
    }

    /// The maximum number of elements of a step that are printed when they fail, and of those with names or with steps that
    /// are printed when they pass. A `forEach` may have a million.
    private static let printedElements = 5
    private static let printedPasses = 100

    private let output: Output
    private let destination: Destination
    private let isQuiet: Bool
    private let isVerbose: Bool
    private let state = Mutex(State())

    /// Creates a printer.
    ///
    /// - Parameters:
    ///   - quiet: Whether it prints failures only.
    ///   - verbose: Whether it prints requests and responses too, and the elements, pages, polls and retries of steps.
    init(_ output: Output, quiet: Bool, verbose: Bool, to destination: Destination = .output) {
        self.output = output
        self.destination = destination
        self.isQuiet = quiet
        self.isVerbose = verbose
    }

    // MARK: Events

    func receive(_ event: RunEvent) {
        if case .runStarted = event.kind, !isQuiet { startLive() }
        if case .runFinished = event.kind { Output.removeLive(self) }
        if case .stepFinished(let result, _) = event.kind, result.path.hasPrefix("session."),
            let span = result.failure?.span
        {
            state.withLock { _ = $0.sessionFailures.insert(span) }
        }
        guard !isQuiet else { return }
        let dueLine = state.withLock { state in
            state.progress.take(event)
            if isVerbose { state.numbers.take(event) }
            return state.progress.dueLine(after: event)
        }
        if let dueLine, !isLive { write("    \(paint(dueLine, .faint))\n") }
        if isVerbose { write(VerboseText.text(of: event, state.withLock(\.numbers), paint)) }
        printLine(of: event)
    }

    func waitForRoom(while condition: @Sendable () -> Bool) async {
        await Output.waitForRoom(while: condition)
    }

    private func printLine(of event: RunEvent) {
        switch event.kind {
        case .graphStarted(let graph): write("\(paint(graph, .strong))\n")
        case .stepFinished where isHidden(event), .stepSkipped where isHidden(event): noteGroup(of: event)
        case .stepFinished(let result, _):
            write(line(of: result) + times(of: result) + (isWhole && hasText(result) ? "" : reason(of: result)))
        case .stepSkipped: write(skipped(event.step ?? ""))
        case .elementFinished(let end): if !isHidden(event) { print(end, of: event) }
        case .writeCommitted(let file) where printsFiles(of: event):
            write("    \(paint(TransferText.file(file), .faint))\n")
        case .downloadCommitted(let file) where printsFiles(of: event):
            write("    \(paint(TransferText.file(file), .faint))\n")
        case .log(let message): write("    \(paint("\(prefix(of: event))\(message)", .strong))\n")
        case .warning(let message, _): write("  \(paint("! \(prefix(of: event))\(message)", .warning))\n")
        case .runPaused: write("  \(paint("paused\(event.step.map { ": \($0)" } ?? "")", .warning))\n")
        case .runUnpaused: write("  \(paint("continued\(event.step.map { ": \($0)" } ?? "")", .warning))\n")
        default: break
        }
    }

    private func prefix(of event: RunEvent) -> String { event.step.map { "\($0): " } ?? "" }

    /// Whether an event has no line because its step is in an element of a `forEach`, which has one.
    private func isHidden(_ event: RunEvent) -> Bool {
        !isVerbose && event.step?.utf8.contains(UInt8(ascii: "[")) == true
    }

    /// Notes that the elements of the step around the one of an event consist of steps: each element has a line then.
    private func noteGroup(of event: RunEvent) {
        guard let path = event.step, let bracket = path.utf8.firstIndex(of: UInt8(ascii: "[")) else { return }
        state.withLock { _ = $0.groups.insert(String(path[..<bracket])) }
    }

    /// Prints the first elements of a step that fail, and the first with names or with steps that pass.
    private func print(_ end: RunEvent.ElementEnd, of event: RunEvent) {
        let step = event.step ?? ""
        let isPass = end.outcome == .passed && (end.subject.name != nil || state.withLock { $0.groups.contains(step) })
        guard isPass || end.failure.map({ $0.kind != .cancelled }) == true && (isVerbose || !isWhole) else {
            return
        }
        let isFirst = state.withLock { state -> Bool in
            if isPass {
                state.printedPasses[step, default: 0] += 1
                return state.printedPasses[step] ?? 0 <= Self.printedPasses
            }
            state.printedElements[step, default: 0] += 1
            return state.printedElements[step] ?? 0 <= Self.printedElements
        }
        guard isVerbose || isFirst else { return }
        let (mark, style) = mark(of: end.outcome)
        var line = stepLine(mark, style)
        let time = end.startedAt.map { "  \((end.subject.time ?? $0.duration(to: event.at)).timeText)" } ?? ""
        line.append(" " + fitting("\(step)[\(end.index)]", after: line.width + 1 + time.utf8.count))
        let subject = end.subject.words.joined(separator: ", ")
        if let room = room(after: line.width + 2 + time.utf8.count, minimum: 8), !subject.isEmpty {
            line.append("  ")
            line.append(PrintableText.shortened(subject, to: room), .faint)
        }
        line.append(time)
        let reason = end.failure.map { "    \(paint(FailureText.reason($0), .faint))\n" } ?? ""
        write("\(line.text)\n\(reason)")
    }

    /// Whether files are printed. A 'forEach' may have a million elements, each with a file.
    private func printsFiles(of event: RunEvent) -> Bool { isVerbose || event.step?.contains("[") != true }

    // MARK: What is running

    /// Whether the lines of what is running are at the end of the terminal.
    private var isLive: Bool { !isQuiet && terminal != nil }

    private func startLive() {
        guard isLive else { return }
        let colour = isColoured
        Output.addLive(self) { [weak self] size in
            guard let self else { return [] }
            var lines = state.withLock { $0.progress.lines(size, at: .now(), colour: colour) }
            if case .held(let manifest, _, _) = destination {
                var heading = StyledText(colour: colour)
                heading.append(PrintableText.shortened(manifest, to: size.columns - 1), .strong)
                lines.insert(heading, at: 0)
            }
            return lines
        }
    }

    // MARK: Results

    /// Prints the line of a step of an earlier run below those of its files, and its failure in full.
    ///
    /// - Parameter printsBody: Whether the body of its response is printed in full, if it is kept.
    func show(_ result: StepResult, files: [RunFiles.File], bodies: KeptBodies, printsBody: Bool) {
        for file in files {
            switch file {
            case .written(let file): write("    \(paint(TransferText.file(file), .faint))\n")
            case .downloaded(let file): write("    \(paint(TransferText.file(file), .faint))\n")
            }
        }
        if result.outcome == .skipped, result.failure == nil {
            write(skipped(result.path))
        } else {
            write(line(of: result) + times(of: result))
            var text = failureText(bodies)
            text.printsWholeBodies = printsBody
            if hasText(result) {
                write(text.text(of: result))
            } else {
                write(reason(of: result) + (printsBody ? text.body(of: result.path, hasPassed: true) : ""))
            }
        }
    }

    /// Prints the line of a step that had not finished when the run was killed, or that is still running.
    func show(unfinished step: StepResult) {
        let elements = step.elements.map { elements in
            elements.count == 0 ? "no element has finished" : "elements: \(elements.counts.summary)"
        }
        let words = ["not finished", elements].compactMap { $0 }.joined(separator: ", ")
        write("  \(paint("… \(step.path)", .faint))  \(words)\n")
    }

    /// Prints the line of an element of an earlier run, and its failure in full.
    ///
    /// - Parameter printsBody: Whether the bodies of its responses are printed in full, if they are kept.
    func show(element: Int, of step: StepResult, bodies: KeptBodies, printsBody: Bool) {
        guard let elements = step.elements else { return }
        let path = "\(step.path)[\(element)]"
        var text = failureText(bodies)
        text.printsWholeBodies = printsBody
        if let failed = elements.failures.first(where: { $0.index == element }) {
            let outcome: StepOutcome = step.outcome == .tolerated ? .tolerated : .failed
            let (mark, style) = mark(of: failed.failure.kind == .cancelled ? .cancelled : outcome)
            write(
                "  \(paint(mark, style)) \(paint("\(path)  \(failed.subject.words.joined(separator: ", "))", .strong))\n"
            )
            write(text.text(of: failed, step: step.path))
        } else {
            let words = elements.hasPassed(element) ? "passed" : "not among the failed elements that run.json lists"
            let (mark, style) = mark(of: elements.hasPassed(element) ? .passed : .skipped)
            let name = elements.cases.first { $0.index == element }.map { "  \($0.name)" } ?? ""
            write("  \(paint(mark, style)) \(paint("\(path)\(name)", .strong))  \(words)\n")
            if printsBody { write(text.body(of: path, hasPassed: true)) }
        }
    }

    /// Prints the requests that some steps or elements of an earlier run have sent, and those in them.
    func showRequests(in folder: String, of paths: [String]) throws(ResultsError) {
        let (events, bodies) = (try JournalEvents(folder: folder), KeptBodies(folder: folder))
        var (numbers, hasBody, isAny) = (RequestNumbers(), Set<String>(), false)
        while let event = try events.next() {
            guard let step = event.step,
                paths.contains(where: { step == $0 || step.hasPrefix("\($0).") || step.hasPrefix("\($0)[") })
            else { continue }
            numbers.take(event)
            switch event.kind {
            case .requestWillSend(let request):
                write(VerboseText.text(of: event, numbers, paint))
                isAny = true
                if request.body == nil { hasBody.remove(step) } else { hasBody.insert(step) }
                guard request.body?.isCut == true else { continue }
                for path in bodies.requests(of: step) { write("    \(paint("{ kept in \(path) }", .faint))\n") }
            case .requestSent(_, let bytes) where bytes > 0 && !hasBody.contains(step):
                let size = TransferText.size(bytes)
                write("    \(paint("{ \(size); --keep-bodies or --verbose records the body when it runs }", .faint))\n")
            case .cacheUsed(_, _, .some), .requestRedirected:
                write(VerboseText.text(of: event, numbers, paint))
                isAny = true
            default: break
            }
        }
        if !isAny {
            let reason = "no request is recorded; those of elements are with --keep-bodies, --verbose or --report har"
            write("    \(paint(reason, .faint))\n")
        }
    }

    /// Prints the failures in full, and the summary.
    ///
    /// - Parameters:
    ///   - listsFailures: Whether the failures are printed.
    ///   - namesResume: Whether the command that continues a run that has not passed is printed.
    ///   - printsCoverage: Whether the coverage of OpenAPI documents is printed.
    func finish(
        _ result: RunResult,
        folder: String,
        listsFailures: Bool = true,
        namesResume: Bool = true,
        printsCoverage: Bool = true
    ) {
        Output.removeLive(self)
        if listsFailures { printFailures(of: result, KeptBodies(folder: folder)) }
        guard !isQuiet || result.outcome != .passed else { return }
        let counts = result.counts
        let parts: [(Int, String, TerminalStyle)] = [
            (counts[.passed], "passed", .good), (counts[.failed], "failed", .bad),
            (counts[.tolerated], "tolerated", .warning),
            (counts[.skipped], "skipped", .faint), (counts[.cancelled], "cancelled", .warning),
        ]
        let words = parts.filter { $0.0 > 0 }.map { paint("\($0.0) \($0.1)", $0.2) }.joined(separator: ", ")
        let time = result.time.timeText
        let mock = result.isMocked ? ", on the mock server" : ""
        write("\n\(words.isEmpty ? "nothing to do" : words) in \(time)\(mock)\n")
        if printsCoverage { write(CoverageText.summaries(of: result.coverage)) }
        write("results in \(PrintableText.oneLine(folder))\n")
        // An interrupted run in which everything passed has nothing to continue.
        let isComplete = result.outcome != .failed && counts[.skipped] + counts[.cancelled] + counts[.failed] == 0
        if namesResume, result.outcome != .passed, !isComplete {
            write("waybill resume \(PrintableText.shellWord(folder)) continues it\n")
        }
    }

    private func printFailures(of result: RunResult, _ bodies: KeptBodies) {
        var sessionFailures = state.withLock(\.sessionFailures)
        let failed = result.steps.filter { step in
            guard hasText(step), let span = step.failure?.span, state.withLock({ $0.sessionFailures.contains(span) })
            else {
                return hasText(step)
            }
            // Of the steps that failed because of the same session, only one is printed.
            return sessionFailures.remove(span) != nil
        }
        guard !failed.isEmpty else { return }
        if !isQuiet { write("\n\(paint("failures", .strong))\n") }
        for step in failed { write("\n" + line(of: step) + failureText(bodies).text(of: step)) }
    }

    /// Whether a step has a failure that is printed in full.
    private func hasText(_ result: StepResult) -> Bool {
        result.failure.map { $0.kind != .cancelled && $0.kind != .duplicate } ?? false
    }

    private func failureText(_ bodies: KeptBodies?) -> FailureText {
        FailureText(colour: isColoured, terminal: terminal, bodies: bodies)
    }

    /// Returns why a step failed, for the line below its own. Failed elements have their own lines.
    private func reason(of result: StepResult) -> String {
        guard result.elements == nil, let failure = result.failure, failure.kind != .cancelled else { return "" }
        return "    \(paint(failure.message.description, .faint))\n"
    }

    private func mark(of outcome: StepOutcome) -> (String, TerminalStyle) {
        switch outcome {
        case .passed: ("✓", .good)
        case .failed: ("✗", .bad)
        case .tolerated: ("!", .warning)
        case .skipped, .cancelled: ("-", .faint)
        }
    }

    /// Returns the line of a step: outcome, path, name, request, status, time. On a terminal, the line has its width at most:
    /// a long URL or path is shortened.
    private func line(of result: StepResult) -> String {
        var end: [(text: String, style: TerminalStyle?)] = []
        if let group = result.group, result.name != group.rawValue { end.append((group.rawValue, .faint)) }
        if result.outcome == .cancelled || result.outcome == .skipped { end.append((result.outcome.rawValue, nil)) }
        if let status = result.status { end.append(("\(status)", nil)) }
        if let cache = result.cache { end.append(("cache \(cache.rawValue)", nil)) }
        if let elements = result.elements { end.append((elements.counts.summary, nil)) }
        if let repetition = result.repetitionText { end.append((repetition, nil)) }
        if let time = result.time { end.append((time.total.timeText, nil)) }
        let endWidth = end.reduce(0) { $0 + $1.text.utf8.count + 2 }
        let (mark, style) = mark(of: result.outcome)
        var line = stepLine(mark, style)
        line.append(" " + fitting(result.path, after: line.width + 1 + endWidth))
        // A step without an id has its method and path as its name.
        let request = result.method.map { "\($0) " } ?? ""
        if let name = result.name, name != result.id, request.isEmpty || !name.startsWithCodePoints(of: request),
            let room = room(after: line.width + 2 + endWidth, minimum: 8)
        {
            line.append("  ")
            line.append(PrintableText.start(of: PrintableText.oneLine(name), room), .strong)
        }
        if let url = result.url, let room = room(after: line.width + 2 + request.utf8.count + endWidth, minimum: 12) {
            line.append("  ")
            line.append(request + PrintableText.shortened(url.string, to: room), .faint)
        }
        for (text, style) in end {
            line.append("  ")
            line.append(text, style)
        }
        return line.text + "\n"
    }

    /// Returns the line of the response times of a `forEach`.
    private func times(of result: StepResult) -> String {
        result.elements?.responseTimes.map { "    \(paint("response times: \($0)", .faint))\n" } ?? ""
    }

    private func skipped(_ path: String) -> String {
        var line = stepLine("- \(fitting(path, after: 13))", .faint)
        line.append("  skipped")
        return line.text + "\n"
    }

    /// Returns the start of a line of a step.
    private func stepLine(_ mark: String, _ style: TerminalStyle) -> StyledText {
        var line = StyledText(colour: isColoured, columns: terminal.map { $0.columns - 1 } ?? StyledText.maximumColumns)
        line.append("  ")
        line.append(mark, style)
        return line
    }

    /// Returns the path of a step or an element, shortened if it does not fit on a line with other content.
    private func fitting(_ path: String, after columns: Int) -> String {
        PrintableText.shortened(PrintableText.oneLine(path), to: room(after: columns, minimum: 8) ?? 8)
    }

    /// Returns the number of columns that a line with some content has left, `nil` if it is less than a minimum.
    private func room(after columns: Int, minimum: Int) -> Int? {
        let room = (terminal?.columns ?? StyledText.maximumColumns) - 1 - columns
        return room < minimum ? nil : room
    }

    // MARK: Writing

    private var isWhole: Bool { if case .held(_, true, _) = destination { true } else { false } }

    private var usesErrorStream: Bool { if case .error = destination { true } else { false } }

    private var isColoured: Bool { usesErrorStream ? output.coloursError : output.coloursOutput }

    private var terminal: TerminalSize? { Output.terminal(ofError: usesErrorStream) }

    private func write(_ text: String) {
        guard !text.isEmpty else { return }
        switch destination {
        case .output: output.write(text)
        case .error: output.writeError(text)
        case .held(_, _, let hold): hold(text)
        }
    }

    /// Returns a string from the run in a style, without control characters.
    private func paint(_ text: String, _ style: TerminalStyle) -> String {
        var line = StyledText(colour: isColoured)
        line.append(text, style)
        return line.text
    }
}

/// Prints each event as a JSON object on a line, for programs.
final class EventPrinter: RunObserver {
    private let output: Output

    init(_ output: Output) {
        self.output = output
    }

    func receive(_ event: RunEvent) {
        output.write(String(decoding: event.jsonText(), as: UTF8.self) + "\n", as: .json)
    }

    func waitForRoom(while condition: @Sendable () -> Bool) async {
        await Output.waitForRoom(while: condition)
    }
}
