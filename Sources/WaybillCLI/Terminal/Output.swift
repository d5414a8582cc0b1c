import ArgumentParser
import Synchronization
import Waybill
import WaybillDiagnostics

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The two streams of the program. Nothing else writes to them.
struct Output: Sendable {
    /// Whether standard output gets ANSI colours.
    let coloursOutput: Bool
    /// Whether standard error gets ANSI colours.
    let coloursError: Bool

    /// The system's number of the first error of a write to standard output; 0 while there was none.
    private static let failure = Atomic<Int32>(0)

    /// The streams; a terminal gets colours unless that is declined here or by NO_COLOR, or it is dumb.
    init(noColour: Bool) {
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
        let isAllowed = !noColour && !isDumb && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
        coloursOutput = isAllowed && isatty(STDOUT_FILENO) == 1
        coloursError = isAllowed && isatty(STDERR_FILENO) == 1
    }

    /// Writes a text to standard output.
    func write(_ text: String) {
        _ = writeAll(Array(text.utf8))
    }

    /// Writes what a command was asked for to standard output; throws the exit status where that cannot be done.
    func writeResult(_ bytes: [UInt8]) throws {
        guard writeAll(bytes) else { throw ExitStatus.notCarriedOut }
    }

    /// Writes bytes to standard output and notes the first failure. After that nothing more is written, so that what was
    /// written has no gaps. A run goes on all the same: its results are in its folder.
    private func writeAll(_ bytes: [UInt8]) -> Bool {
        guard Self.failure.load(ordering: .relaxed) == 0 else { return false }
        let failure = Self.write(bytes, to: STDOUT_FILENO)
        guard failure != 0 else { return true }
        Self.failure.store(failure, ordering: .relaxed)
        return false
    }

    /// The exit status of the program, now that all is written: where standard output could not be written, says so.
    ///
    /// A reader that has gone away, as `head` does, is not reported: the status is that of a program which SIGPIPE ended.
    static func status(after status: ExitCode) -> ExitCode {
        let failure = failure.load(ordering: .relaxed)
        guard failure != 0, Signals.received == nil else { return status }
        if failure == EPIPE {
            return status.isSuccess || status == ExitStatus.notCarriedOut ? ExitStatus.brokenPipe : status
        }
        let reason = String(cString: strerror(failure))
        Output(noColour: false).report([
            Diagnostic("unwritable-output", "standard output cannot be written: \(reason)", at: nil)
        ])
        return ExitStatus.notCarriedOut
    }

    /// Writes a text to standard error.
    func writeError(_ text: String) {
        Self.write(text, to: STDERR_FILENO)
    }

    /// Writes all findings of a command to standard error, with a line that sums them up.
    func report(_ findings: [Diagnostic]) {
        writeError(errorRenderer.document(for: findings))
    }

    /// Writes findings of one of several files to standard error; what all have is for `summarize`.
    func reportPart(_ findings: [Diagnostic]) {
        for finding in findings.limitingRepeats() { writeError(errorRenderer.render(finding) + "\n") }
    }

    /// Writes the line that sums up what `reportPart` wrote.
    func summarize(_ findings: [Diagnostic]) {
        if !findings.isEmpty { writeError(errorRenderer.summary(of: findings)) }
    }

    private var errorRenderer: HumanRenderer { HumanRenderer(colour: coloursError) { Explanation.of($0) != nil } }

    /// Writes all of a text; a reader that has gone away is no reason to fail.
    private static func write(_ text: String, to descriptor: Int32) {
        _ = write(Array(text.utf8), to: descriptor)
    }

    /// Writes all of some bytes, and gives the system's error number where that cannot be done, else 0.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pointer in
                #if canImport(Glibc)
                    Glibc.write(descriptor, pointer.baseAddress, pointer.count)
                #else
                    Darwin.write(descriptor, pointer.baseAddress, pointer.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest.removeFirst(count)
        }
        return 0
    }
}
