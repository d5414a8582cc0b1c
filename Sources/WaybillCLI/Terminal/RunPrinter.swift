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
        var printedNames: [String: Int] = [:]
        /// The numbers of the pages and attempts, for `-v`.
        var numbers = RequestNumbers()
        /// The locations of session failures. Each step that needs a failed session fails at the same location.
        var sessionFailures: Set<SourceSpan> = []
    }

    /// The maximum number of elements of a step that are printed when they fail, and of those with names that are printed
    /// when they pass. A `forEach` may have a million.
    private static let printedElements = 5
    private static let printedNames = 100

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
        case .stepFinished(let result, _):
            write(line(of: result) + (isWhole && hasText(result) ? "" : reason(of: result)))
        case .stepSkipped: write("  \(paint("- \(event.step ?? "")", .faint))  skipped\n")
        case .elementFinished(let end): print(end, of: event.step ?? "")
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

    /// Prints the first elements of a step that fail, and the first with names that pass.
    private func print(_ end: RunEvent.ElementEnd, of step: String) {
        let isNamedPass = end.outcome == .passed && end.subject.name != nil
        guard isNamedPass || end.failure.map({ $0.kind != .cancelled }) == true && (isVerbose || !isWhole) else {
            return
        }
        let isFirst = state.withLock { state -> Bool in
            if isNamedPass {
                state.printedNames[step, default: 0] += 1
                return state.printedNames[step] ?? 0 <= Self.printedNames
            }
            state.printedElements[step, default: 0] += 1
            return state.printedElements[step] ?? 0 <= Self.printedElements
        }
        guard isVerbose || isFirst else { return }
        let (mark, style) = mark(of: end.outcome)
        var line = StyledText(colour: isColoured)
        line.append("  ")
        line.append(mark, style)
        line.append(" \(step)[\(end.index)]  ")
        let room = terminal.map { max(24, $0.columns - line.width - 1) } ?? .max
        line.append(PrintableText.shortened(end.subject.words.joined(separator: ", "), to: room), .faint)
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
            write("  \(paint("- \(result.path)", .faint))  skipped\n")
        } else {
            write(line(of: result))
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
        write("\n\(words.isEmpty ? "nothing to do" : words) in \(time)\n")
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

    /// Returns the line of a step: outcome, path, name, request, status, time. A long URL is shortened on a terminal.
    private func line(of result: StepResult) -> String {
        let (mark, style) = mark(of: result.outcome)
        var start = StyledText(colour: isColoured)
        start.append("  ")
        start.append(mark, style)
        start.append(" \(result.path)")
        // A step without an id has its method and path as its name.
        let request = result.method.map { "\($0) " } ?? ""
        if let name = result.name, name != result.id, request.isEmpty || !name.startsWithCodePoints(of: request) {
            start.append("  ")
            start.append(name, .strong)
        }
        var end = StyledText(colour: isColoured)
        if let group = result.group, result.name != group.rawValue { end.append("  \(group.rawValue)", .faint) }
        if result.outcome == .cancelled || result.outcome == .skipped { end.append("  \(result.outcome.rawValue)") }
        if let status = result.status { end.append("  \(status)") }
        if let cache = result.cache { end.append("  cache \(cache.rawValue)") }
        if let elements = result.elements { end.append("  \(elements.counts.summary)") }
        if let time = result.time { end.append("  \(time.total.timeText)") }
        if let method = result.method, let url = result.url {
            let room = terminal.map { max(24, $0.columns - start.width - end.width - method.count - 4) } ?? .max
            start.append("  ")
            start.append("\(method) \(PrintableText.shortened(url.string, to: room))", .faint)
        }
        return start.text + end.text + "\n"
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
