import Synchronization
import WaybillDiagnostics
import WaybillFormats
import WaybillResults

/// Prints what happens in a run, a line for each step, for people.
final class RunPrinter: RunObserver {
    private let output: Output
    private let isQuiet: Bool
    private let isVerbose: Bool
    private let usesErrorStream: Bool
    private let hold: (@Sendable (String) -> Void)?
    /// Where the failures of sessions are that were printed. Each step that needs such a session fails at the same location.
    private let sessionFailures = Mutex<Set<SourceSpan>>([])

    /// When the transfers in flight were last reported.
    private let progressLines = Mutex(ProgressLines())

    /// A printer.
    ///
    /// - Parameters:
    ///   - toErrorStream: Whether it prints to standard error, because standard output is for data.
    ///   - hold: What takes the text instead, to print it later.
    init(
        _ output: Output,
        quiet: Bool,
        verbose: Bool,
        toErrorStream: Bool = false,
        hold: (@Sendable (String) -> Void)? = nil
    ) {
        self.output = output
        self.hold = hold
        usesErrorStream = toErrorStream
        self.isQuiet = quiet
        self.isVerbose = verbose
    }

    func receive(_ event: RunEvent) {
        switch event.kind {
        case .graphStarted(let graph) where !isQuiet:
            write("\(paint(graph, .strong))\n")
        case .requestWillSend(let request) where isVerbose:
            write("    \(paint("→ \(request.method) \(request.url)", .faint))\n")
        case .requestRedirected(let redirection) where isVerbose:
            let words = "→ \(redirection.status), \(redirection.method) \(redirection.url)"
            write("    \(paint(words, .faint))\n")
        case .requestRetrying(let retry) where isVerbose:
            let words = "attempt \(retry.attempt) failed, the next one begins in \(Self.time(retry.pause))"
            write("    \(paint("\(words): \(retry.failure.message)", .faint))\n")
        case .log(let message) where !isQuiet:
            let step = event.step.map { "\($0): " } ?? ""
            write("    \(paint("\(step)\(message)", .strong))\n")
        case .runPaused where !isQuiet:
            write("  \(paint("paused\(event.step.map { ": \($0)" } ?? "")", .warning))\n")
        case .runUnpaused where !isQuiet:
            write("  \(paint("goes on\(event.step.map { ": \($0)" } ?? "")", .warning))\n")
        case .writeCommitted(let file) where !isQuiet && printsFiles(of: event):
            write("    \(paint(TransferText.file(file), .faint))\n")
        case .stepFinished(let result, _):
            if !isQuiet || result.outcome == .failed { write(line(for: result)) }
            progressLines.withLock { $0.forget(result.path) }
            if result.path.hasPrefix("session."), let span = result.failure?.span {
                sessionFailures.withLock { _ = $0.insert(span) }
            }
        case .requestProgress(let progress) where !isQuiet:
            let isDue = progressLines.withLock { $0.isDue(for: event.step ?? "", at: event.at) }
            guard isDue else { break }
            let words = "\(event.step ?? "")  \(TransferText.progress(progress))"
            write("    \(paint(words, .faint))\n")
        case .downloadCommitted(let file) where !isQuiet && printsFiles(of: event):
            write("    \(paint(TransferText.file(file), .faint))\n")
        case .warning(let message, _) where !isQuiet:
            let step = event.step.map { "\($0): " } ?? ""
            write("  \(paint("! \(step)\(message)", .warning))\n")
        case .stepSkipped where !isQuiet:
            write("  \(paint("- \(event.step ?? "")", .faint))  skipped\n")
        default:
            break
        }
    }

    /// Prints what came of a step.
    func show(_ result: StepResult) {
        if result.outcome == .skipped, result.failure == nil {
            write("  \(paint("- \(result.path)", .faint))  skipped\n")
        } else {
            write(line(for: result))
        }
    }

    /// Prints the summary.
    ///
    /// - Parameter namesResume: Whether the command that goes on with a run that has not passed is printed.
    func finish(_ result: RunResult, folder: String, namesResume: Bool = true) {
        let counts = result.counts
        let parts: [(Int, String, Style)] = [
            (counts[.passed], "passed", .good), (counts[.failed], "failed", .bad),
            (counts[.tolerated], "tolerated", .warning),
            (counts[.skipped], "skipped", .faint), (counts[.cancelled], "cancelled", .warning),
        ]
        let words = parts.filter { $0.0 > 0 }.map { paint("\($0.0) \($0.1)", $0.2) }.joined(separator: ", ")
        let time = Self.time(result.time)
        if !isQuiet || result.outcome != .passed {
            write("\n\(words.isEmpty ? "nothing to do" : words) in \(time)\nresults in \(folder)\n")
            if namesResume, result.outcome != .passed { write("waybill resume \(folder) continues it\n") }
        }
    }

    private func line(for result: StepResult) -> String {
        let mark: (String, Style) =
            switch result.outcome {
            case .passed: ("✓", .good)
            case .failed: ("✗", .bad)
            case .tolerated: ("!", .warning)
            case .skipped, .cancelled: ("-", .faint)
            }
        var line = "  \(paint(mark.0, mark.1)) \(PrintableText.oneLine(result.path))"
        // A step without an id has its method and path as its name.
        let request = result.method.map { "\($0) " } ?? ""
        if let name = result.name, name != result.id, request.isEmpty || !name.hasPrefix(request) {
            line += "  \(paint(name, .strong))"
        }
        if let method = result.method, let url = result.url { line += "  \(paint("\(method) \(url)", .faint))" }
        if result.outcome == .cancelled || result.outcome == .skipped { line += "  \(result.outcome.rawValue)" }
        if let status = result.status { line += "  \(status)" }
        if let cache = result.cache { line += "  cache \(cache.rawValue)" }
        if let time = result.time { line += "  \(Self.time(time.total))" }
        line += "\n"
        if let failure = result.failure, failure.kind == .duplicate || isOfSession(failure) {
            line = line.dropLast() + ": \(failure.message)\n"
        } else if let failure = result.failure, failure.kind != .cancelled {
            line += FailureText(colour: isColoured).text(of: failure, elements: result.elements)
        }
        return line
    }

    /// Whether files are printed. A 'forEach' may have a million elements, each with a file.
    private func printsFiles(of event: RunEvent) -> Bool { isVerbose || event.step?.contains("[") != true }

    /// Whether the failure is that of a session, which was printed with its text.
    private func isOfSession(_ failure: Failure) -> Bool {
        failure.span.map { span in sessionFailures.withLock { $0.contains(span) } } ?? false
    }

    /// A duration in words: milliseconds below ten seconds.
    static func time(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        // A clock that was set back, or a file with other times, may give less than nothing.
        if milliseconds < 0 { return "0 ms" }
        if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
        return milliseconds < 10_000 ? "\(Int(milliseconds.rounded())) ms" : "\((milliseconds / 100).rounded() / 10) s"
    }

    private var isColoured: Bool { usesErrorStream ? output.coloursError : output.coloursOutput }

    private func write(_ text: String) {
        if let hold { hold(text) } else if usesErrorStream { output.writeError(text) } else { output.write(text) }
    }

    private enum Style: String {
        case good = "32"
        case bad = "1;31"
        case warning = "33"
        case strong = "1"
        case faint = "2"
    }

    /// A text of the run's in a style, without characters that would steer the terminal.
    private func paint(_ text: String, _ style: Style) -> String {
        let text = PrintableText.oneLine(text)
        return isColoured ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Prints each event as a JSON object on a line, for programs.
final class EventPrinter: RunObserver {
    private let output: Output

    init(_ output: Output) {
        self.output = output
    }

    func receive(_ event: RunEvent) {
        output.write(String(decoding: event.jsonText(), as: UTF8.self) + "\n")
    }
}
