import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillResults

/// Runs a session to its end, or until a signal asks it to stop; other signals pause and continue it.
struct SessionRunner {
    private let session: RunSession
    private let output: Output

    init(_ session: RunSession, _ output: Output) {
        self.session = session
        self.output = output
    }

    /// What is printed at the first signal to stop.
    static let stopMessage = "stopping: running requests have 10 seconds to finish; a second Ctrl-C cancels them\n"

    /// Runs the session. Throws the exit status, after the reason was printed, if it could not be executed or recorded.
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
        do throws(RunError) {
            return try waiting { [session] () async throws(RunError) in try await session.run() }
        } catch {
            if error.manifestDiagnostics.isEmpty {
                output.report([Diagnostic("run-error", error.message, at: nil)])
                throw ExitStatus.notCarriedOut
            }
            output.report(error.manifestDiagnostics)
            throw ExitStatus.invalid
        }
    }

    /// Throws the exit status of a run that has ended, unless all passed.
    static func end(with report: RunSession.Report) throws {
        switch report.result.outcome {
        case .passed: return
        case .failed: throw ExitStatus.failed
        // A signal that came when all was done changes neither the outcome nor the status.
        case .interrupted: throw Signals.received.map { ExitCode(128 + $0) } ?? ExitStatus.failed
        }
    }
}
