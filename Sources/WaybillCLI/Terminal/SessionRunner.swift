import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillResults

/// Runs a session until it finishes or a signal stops it; other signals pause and continue it.
struct SessionRunner {
    private let session: RunSession
    private let output: Output

    init(_ session: RunSession, _ output: Output) {
        self.session = session
        self.output = output
    }

    /// The message for the first signal to stop.
    static let stopMessage = "stopping: running requests have 10 seconds to finish; a second Ctrl-C cancels them\n"

    /// Lets the next signal to stop change nothing, because everything has finished and is only being printed or
    /// reported, and the one after it end the program.
    static func ignoreFirstSignal(_ output: Output) {
        Signals.onStop({ output.writeError("the run has finished; a second Ctrl-C ends the program at once\n") })
    }

    /// Runs the session. If the run could not be executed or recorded, reports the reason and throws the exit status.
    func run() throws -> RunSession.Report {
        // Signals are handled before the run starts, so that none comes too early.
        Signals.onStop(
            {
                session.stop()
                output.writeError(Self.stopMessage)
            },
            { session.cancelAll() }
        )
        Signals.onPause({ session.pause() }, unpause: { session.unpause() })
        // After the run, the first signal changes nothing, and the second one ends the program.
        defer { Self.ignoreFirstSignal(output) }
        do throws(RunError) {
            return try waiting { [session] () async throws(RunError) in try await session.run() }
        } catch {
            if error.manifestDiagnostics.isEmpty {
                output.report([Diagnostic("run-error", error.message, at: nil)])
                throw ExitStatus.notRun
            }
            output.report(error.manifestDiagnostics)
            throw ExitStatus.invalid
        }
    }

    /// Throws the exit status of a finished run, unless everything passed.
    static func end(with report: RunSession.Report) throws {
        switch report.result.outcome {
        case .passed: return
        case .failed: throw ExitStatus.failed
        // A signal that arrives when everything is done changes neither the outcome nor the status.
        case .interrupted: throw Signals.received.map { ExitCode(128 + $0) } ?? ExitStatus.failed
        }
    }
}
