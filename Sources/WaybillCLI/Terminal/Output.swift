import ArgumentParser
import Dispatch
import Synchronization
import WaybillDiagnostics
import WaybillExplanations
import WaybillPipeline
import WaybillPlatform
import WaybillRuntime

/// Standard output and standard error. Nothing else writes to them.
struct Output: Sendable {
    /// Whether standard output gets ANSI colours.
    let coloursOutput: Bool
    /// Whether standard error gets ANSI colours.
    let coloursError: Bool

    /// The lines that are redrawn at the end of the terminal. Every write holds its lock, so that the text appears
    /// above them.
    private static let live = Mutex(LiveRegion())
    private static let liveTimer = Mutex<(any DispatchSourceTimer)?>(nil)

    /// The `errno` of the first failed write to standard output, and to standard error; 0 if none has failed.
    private static let failure = Atomic<Int32>(0)
    private static let errorFailure = Atomic<Int32>(0)

    /// The writes to standard output, and to standard error if that is another file.
    private static let queue = OutputQueue()
    private static let errorQueue = isSameFile ? queue : OutputQueue()
    /// The number of bytes that may wait for the reader before requests wait too.
    private static let maximumWaiting = 4 << 20
    /// Whether the program ends without what has not been written.
    private static let isAbandoned = Atomic(false)

    /// Creates the streams. Terminals get colours unless `noColour` or NO_COLOR declines them, or TERM is `dumb`.
    init(noColour: Bool) {
        let isDumb = environmentVariable("TERM") == "dumb"
        let isAllowed = !noColour && !isDumb && (environmentVariable("NO_COLOR") ?? "").isEmpty
        coloursOutput = isAllowed && isatty(STDOUT_FILENO) == 1
        coloursError = isAllowed && isatty(STDERR_FILENO) == 1
    }

    /// Writes a string to standard output.
    func write(_ text: String, as content: OutputContent = .text) {
        write(Array(text.utf8), content)
    }

    /// Writes the result of a command to standard output; throws the exit status if that fails.
    func writeResult(_ bytes: [UInt8], as content: OutputContent) throws {
        write(bytes, content)
        Self.waitForWrites()
        guard Self.failure.load(ordering: .relaxed) == 0 else { throw ExitStatus.notRun }
    }

    private func write(_ bytes: [UInt8], _ content: OutputContent) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        Self.write(content.bytes(for: bytes, isTerminal: isTerminal, isColoured: coloursOutput), to: STDOUT_FILENO)
    }

    /// Waits while much output waits for its reader, as long as a condition holds and the task is not cancelled.
    static func waitForRoom(while condition: () -> Bool) async {
        while queue.waitingBytes > maximumWaiting || errorQueue.waitingBytes > maximumWaiting, condition() {
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
        }
    }

    /// The number of bytes that wait for the reader of standard output.
    static var waitingBytes: Int { queue.waitingBytes }

    /// Waits until everything is written, at most for a duration. The rest is not written.
    static func finish(within time: Duration) {
        let end = ContinuousClock.now + time
        if !waitForWrites(unless: { ContinuousClock.now > end }) { isAbandoned.store(true, ordering: .relaxed) }
    }

    /// Waits until everything is written, unless a second signal ends the wait for a reader that does not read. Returns
    /// whether everything is written.
    @discardableResult
    private static func waitForWrites(unless mustStop: () -> Bool = { false }) -> Bool {
        [queue, errorQueue].allSatisfy { queue in
            queue.wait { Signals.stopCount > 1 || isAbandoned.load(ordering: .relaxed) || mustStop() }
        }
    }

    /// Returns the exit status of the program after everything was written. Reports an error if standard output could
    /// not be written to.
    ///
    /// A reader that has closed the pipe, as `head` does, is not reported: the status is that of a program killed by
    /// SIGPIPE.
    static func status(after status: ExitCode) -> ExitCode {
        guard waitForWrites() else { return Signals.received.map { ExitCode(128 + $0) } ?? status }
        defer { waitForWrites() }
        // A write to a terminal that was stopped with Ctrl-S may hold the lock.
        _ = live.withLockIfAvailable { region in erase(&region) }
        let failure = failure.load(ordering: .relaxed)
        guard failure != 0, Signals.received == nil else { return status }
        if failure == EPIPE {
            return status.isSuccess || status == ExitStatus.notRun ? ExitStatus.brokenPipe : status
        }
        let reason = SystemError(failure).description
        Output(noColour: false).report([
            Diagnostic("unwritable-output", "could not write to standard output: \(reason)", at: nil)
        ])
        return ExitStatus.notRun
    }

    /// Writes a string to standard error.
    func writeError(_ text: String, as content: OutputContent = .text) {
        let isTerminal = isatty(STDERR_FILENO) == 1
        let shown = content.bytes(for: Array(text.utf8), isTerminal: isTerminal, isColoured: coloursError)
        Self.write(shown, to: STDERR_FILENO)
    }

    /// Whether everything could be written to standard error.
    static var isErrorWritten: Bool {
        waitForWrites()
        return errorFailure.load(ordering: .relaxed) == 0
    }

    // MARK: What is drawn again

    /// Returns the size of the terminal that a stream is connected to; `nil` if there is none, or if it cannot move its
    /// cursor.
    static func terminal(ofError: Bool = false) -> TerminalSize? {
        let isDumb = (environmentVariable("TERM") ?? "dumb") == "dumb"
        return isDumb ? nil : TerminalSize(of: ofError ? STDERR_FILENO : STDOUT_FILENO)
    }

    /// Draws the lines of a run at the end of the terminal, ten times a second, until `removeLive` is called with the
    /// same object. Does nothing if neither standard output nor standard error is a terminal.
    static func addLive(_ run: AnyObject, _ lines: @escaping LiveRegion.Source) {
        guard terminal() ?? terminal(ofError: true) != nil else { return }
        let id = ObjectIdentifier(run)
        queue(of: liveDescriptor).add {
            live.withLock { $0.add(id, lines) }
            liveTimer.withLock { timer in
                guard timer == nil else { return }
                let new = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "terminal"))
                new.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(100))
                new.setEventHandler { if queue(of: liveDescriptor).isIdle { write([], to: liveDescriptor) } }
                new.resume()
                timer = new
            }
        }
    }

    /// Stops drawing the lines of a run, and removes them from the screen.
    static func removeLive(_ run: AnyObject) {
        guard terminal() ?? terminal(ofError: true) != nil else { return }
        let id = ObjectIdentifier(run)
        queue(of: liveDescriptor).add {
            live.withLock { region in
                region.remove(id)
                if !region.isActive { erase(&region) }
            }
            guard !live.withLock(\.isActive) else { return }
            liveTimer.withLock { timer in
                timer?.cancel()
                timer = nil
            }
        }
    }

    /// Standard output if it is a terminal, otherwise standard error.
    private static var liveDescriptor: Int32 { terminal() != nil ? STDOUT_FILENO : STDERR_FILENO }

    private static func erase(_ region: inout LiveRegion) {
        guard let size = terminal() ?? terminal(ofError: true) else { return }
        let text = region.erasing(size)
        if !text.isEmpty { _ = writeDirectly(Array(text.utf8), to: liveDescriptor) }
    }

    /// Writes all diagnostics of a command to standard error, with a summary line; in a job of GitHub Actions, also as
    /// annotations.
    func report(_ diagnostics: [Diagnostic]) {
        writeError(errorRenderer.document(for: diagnostics))
        annotate(diagnostics)
    }

    /// Reports the diagnostics of something invalid; returns the exit status to throw.
    func invalid(_ diagnostics: [Diagnostic]) -> ExitCode {
        report(diagnostics)
        return ExitStatus.invalid
    }

    /// Reports why a command could not do its work; returns the exit status to throw.
    func notRun(_ reason: String) -> ExitCode {
        report([Diagnostic("run-error", reason, at: nil)])
        return ExitStatus.notRun
    }

    private func annotate(_ diagnostics: [Diagnostic]) {
        guard Self.annotates else { return }
        writeError(GitHubRenderer(Self.githubPaths).document(for: diagnostics.limitingRepeats()), as: .annotations)
    }

    /// Whether this is a job of GitHub Actions.
    static var annotates: Bool { ProcessVariables.all["GITHUB_ACTIONS"] == "true" }

    /// The paths of files in annotations.
    static var githubPaths: GitHubPaths {
        GitHubPaths(
            workspace: ProcessVariables.all["GITHUB_WORKSPACE"].flatMap(FileContents.canonicalPath),
            currentFolder: FileContents.canonicalPath(".") ?? "/"
        )
    }

    /// Writes the diagnostics of one of several files as `report` does; `summarize` writes the summary line for all of
    /// them.
    func reportPart(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics.limitingRepeats() { writeError(errorRenderer.render(diagnostic) + "\n") }
        annotate(diagnostics)
    }

    /// Writes the summary line for the diagnostics that `reportPart` wrote.
    func summarize(_ diagnostics: [Diagnostic]) {
        if !diagnostics.isEmpty { writeError(errorRenderer.summary(of: diagnostics)) }
    }

    private var errorRenderer: HumanRenderer {
        var renderer = HumanRenderer(colour: coloursError) { Explanation.of($0) != nil }
        if let size = TerminalSize(of: STDERR_FILENO) { renderer.width = Self.sourceColumns(of: size) }
        return renderer
    }

    /// Returns the number of columns for a line of source text on a terminal: the width without the margin for line
    /// numbers.
    static func sourceColumns(of size: TerminalSize) -> Int { max(30, size.columns - 12) }

    /// Writes all bytes above the redrawn lines, after what is being written, and records the first failure. After a
    /// failure of standard output nothing more is written to it, so that the output has no gaps. A run continues
    /// nevertheless, because its results are in its folder.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        queue(of: descriptor).add(bytes.count) {
            let isError = descriptor == STDERR_FILENO
            guard isError || failure.load(ordering: .relaxed) == 0 else { return }
            let code = writeAboveLive(bytes, to: descriptor)
            guard code != 0 else { return }
            if isError {
                errorFailure.store(code, ordering: .relaxed)
            } else {
                failure.store(code, ordering: .relaxed)
            }
        }
    }

    /// Whether both streams are the same file, so that everything must be written in one order.
    private static var isSameFile: Bool {
        var (output, error) = (stat(), stat())
        guard fstat(STDOUT_FILENO, &output) == 0, fstat(STDERR_FILENO, &error) == 0 else { return false }
        return output.st_dev == error.st_dev && output.st_ino == error.st_ino
    }

    private static func queue(of descriptor: Int32) -> OutputQueue {
        descriptor == STDERR_FILENO ? errorQueue : queue
    }

    /// Returns the `errno` if writing fails, otherwise 0.
    private static func writeAboveLive(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        // A write may block until its reader continues. It must not make others wait for the lock unless they write to
        // a terminal too.
        let isLive = live.withLock { $0.isActive || $0.isDrawn }
        guard isLive, let size = terminal(ofError: descriptor == STDERR_FILENO) else {
            return writeDirectly(bytes, to: descriptor)
        }
        return live.withLock { region in
            let text = Array(region.erasing(size).utf8) + bytes
            let isLineComplete = bytes.last ?? UInt8(ascii: "\n") == UInt8(ascii: "\n")
            return writeDirectly(text + (isLineComplete ? Array(region.drawing(size).utf8) : []), to: descriptor)
        }
    }

    private static func writeDirectly(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        do throws(SystemError) {
            try OpenFile.write(bytes, to: descriptor)
            return 0
        } catch {
            return error.errno
        }
    }
}
