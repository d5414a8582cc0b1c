import ArgumentParser
import Synchronization
import WaybillDiagnostics
import WaybillExecution
import WaybillPipeline
import WaybillPlan
import WaybillResults

/// Runs several manifests, each as a separate run in a subfolder of the suite's folder, and prints one summary.
struct SuiteRunner {
    /// The result of a member.
    fileprivate enum End: Sendable {
        case run(RunSession.Report)
        /// The run could not be executed or recorded; the exit status for that, and the reason.
        case failed(ExitCode, String)
        /// The run was not started, because of a signal or an earlier failure.
        case omitted
    }

    /// The sessions that are running, and whether more may start.
    private struct State {
        var sessions: [Int: RunSession] = [:]
        var isStopped = false
        var isPaused = false
    }

    let suite: SuiteFolder
    /// The plans of the members of the suite.
    let plans: [Plan]
    /// Whether the mock server responds to the requests for every origin.
    let usesMock: Bool
    /// The environment variables, for secrets.
    let variables: [String: String]
    let printing: RunOutputOptions
    let reports: ReportOptions
    let output: Output
    /// The maximum number of runs at once.
    let jobs: Int
    /// Whether no run starts after one has failed.
    let failFast: Bool

    private let state = SharedState()
    private var members: [SuiteFolder.Member] { suite.members }

    /// Runs all manifests, prints the summary, writes the reports, and throws the worst exit status.
    func run() throws {
        listen()
        let start = ContinuousClock.now
        let ends = waiting { await self.runAll() }
        // While reports are written, the first signal changes nothing, and the second one ends the program.
        Signals.ignoreFirst(output)
        printSummary(ends, time: ContinuousClock.now - start)
        let runs = zip(members, ends).map { member, end in
            switch end {
            case .run(let report): ReportedRun(report.result, in: report.folder)
            case .failed(_, let reason): ReportedRun(notRun: member.manifest, because: Redactor().text(reason))
            case .omitted: ReportedRun(notRun: member.manifest, because: nil)
            }
        }
        try reports.write(for: runs, output)
        if let signal = Signals.received { throw ExitCode(128 + signal) }
        let worst = ends.map(\.status).reduce(ExitCode.success) { $0.orWorse($1) }
        if !worst.isSuccess { throw worst }
        try reports.checkCoverage(of: runs, output)
    }

    private func runAll() async -> [End] {
        await withTaskGroup(of: (Int, End).self) { group in
            var ends = [End](repeating: .omitted, count: members.count)
            var next = 0
            func startNext() {
                guard next < members.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await run(index)) }
            }
            for _ in 0..<min(jobs, members.count) { startNext() }
            for await (index, end) in group {
                ends[index] = end
                if failFast, end.hasFailed { state.value.withLock { $0.isStopped = true } }
                startNext()
            }
            return ends
        }
    }

    /// Runs a member, unless the suite was stopped.
    private func run(_ index: Int) async -> End {
        let member = members[index]
        // Each member has its own options, and with them its own control, which stops the run.
        var options = RunOptions()
        options.outputFolder = member.folder
        options.suiteFolder = suite.path
        // What an earlier suite left was removed; a run that is here now was started since.
        options.replacesRun = false
        options.usesMock = usesMock
        options.variables = variables
        printing.set(&options, reports)
        options.updatesSnapshots = printing.updateSnapshots
        options.runsAtOnce = jobs
        options.exportTraces()
        let text = BufferedText(heading: "\(member.manifest)\n", isHeld: jobs > 1, output)
        let printer = RunPrinter(
            output,
            quiet: printing.quiet,
            verbose: printing.verbose,
            to: .held(manifest: member.manifest, isWhole: jobs > 1) { text.take($0) }
        )
        options.observers = [printer]
        let diagnostics = Mutex<[Diagnostic]>([])
        options.warn = { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
        let session = Pipeline.session(for: plans[index], options)
        let starts = state.value.withLock { state in
            guard !state.isStopped else { return false }
            state.sessions[index] = session
            if state.isPaused { session.control.pause() }
            return true
        }
        guard starts else { return .omitted }
        defer {
            Output.removeLive(printer)
            state.value.withLock { $0.sessions[index] = nil }
            text.end()
        }
        do throws(RunError) {
            let report = try await session.run()
            printer.finish(report.result, folder: report.folder, namesResume: false, printsCoverage: false)
            output.report(diagnostics.withLock { $0 })
            return .run(report)
        } catch {
            let errors = error.manifestDiagnostics
            output.report(
                errors.isEmpty
                    ? [Diagnostic("run-error", "\(member.manifest): \(error.commandMessage)", at: nil)] : errors
            )
            return .failed(
                errors.isEmpty ? ExitStatus.notRun : ExitStatus.invalid,
                errors.first?.headline ?? error.commandMessage
            )
        }
    }

    private func listen() {
        let (state, output) = (state, output)
        Signals.onStop(
            {
                let sessions = state.value.withLock { state in
                    state.isStopped = true
                    return Array(state.sessions.values)
                }
                for session in sessions { session.control.stop() }
                output.writeError(Signals.stopMessage)
            },
            { for session in state.value.withLock({ Array($0.sessions.values) }) { session.control.cancelAll() } }
        )
        Signals.onPause({ state.pause(true) }, unpause: { state.pause(false) })
    }

    private func printSummary(_ ends: [End], time: Duration) {
        let failed = zip(members, ends).filter { $0.1.hasFailed }
        var summary = SuiteSummary()
        summary.failed = failed.count
        summary.omitted = ends.count { if case .omitted = $0 { true } else { false } }
        summary.passed = ends.count - summary.failed - summary.omitted
        guard !printing.quiet || summary.passed < ends.count else { return }
        output.write("\n\(summary.text) in \(time.timeText)\(usesMock ? ", on the mock server" : "")\n")
        var times = ResponseTimeCounter()
        for case .run(let report) in ends { times.add(report.responseTimes) }
        if let times = times.figures { output.write("response times: \(times)\n") }
        let coverage = ends.map { end in
            if case .run(let report) = end { report.result.coverage } else { [] as [ContractCoverage] }
        }
        output.write(CoverageText.summaries(of: ContractCoverage.combined(coverage)))
        for (member, end) in failed {
            switch end {
            case .run(let report):
                output.write(
                    report.result.summaryLines(member.manifest)
                        + "    waybill resume \(PrintableText.shellWord(report.folder))\n"
                )
            case .failed(_, let reason):
                output.write("  ✗ \(PrintableText.oneLine("\(member.manifest): \(reason)"))\n")
            case .omitted: break
            }
        }
        output.write("results in \(PrintableText.oneLine(suite.path))\n")
    }

    /// The state that the signals' thread and the tasks share.
    private final class SharedState: Sendable {
        let value = Mutex(State())

        func pause(_ isPaused: Bool) {
            let sessions = value.withLock { state in
                state.isPaused = isPaused
                return Array(state.sessions.values)
            }
            for session in sessions { if isPaused { session.control.pause() } else { session.control.unpause() } }
        }
    }
}

extension SuiteRunner.End {
    /// The exit status of a run of this member alone.
    fileprivate var status: ExitCode {
        switch self {
        case .run(let report): report.result.outcome == .passed ? .success : ExitStatus.failed
        case .failed(let status, _): status
        case .omitted: ExitStatus.failed
        }
    }

    /// Whether the member ran and did not pass, or could not be run.
    fileprivate var hasFailed: Bool { if case .omitted = self { false } else { !status.isSuccess } }
}

/// The text of one of several runs: printed below a heading, and in one piece if several run at once.
private final class BufferedText: Sendable {
    private let heading: String
    private let isHeld: Bool
    private let output: Output
    private let text = Mutex<String?>(nil)

    init(heading: String, isHeld: Bool, _ output: Output) {
        self.heading = heading
        self.isHeld = isHeld
        self.output = output
    }

    /// Holds or prints a piece of text.
    func take(_ piece: String) {
        let ready: String? = text.withLock { text in
            let whole = (text ?? "\n" + PrintableText.oneLine(String(heading.dropLast())) + "\n") + piece
            text = isHeld ? whole : ""
            return isHeld ? nil : whole
        }
        if let ready { output.write(ready) }
    }

    /// Prints the held text.
    func end() {
        let whole = text.withLock { text in
            defer { text = "" }
            return text
        }
        if let whole, !whole.isEmpty { output.write(whole) }
    }
}
