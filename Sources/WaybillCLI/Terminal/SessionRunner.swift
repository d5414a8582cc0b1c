import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillResults

/// Runs a session to its end, or until a signal asks it to stop; other signals hold it up and let it go on.
struct SessionRunner {
    private let session: RunSession
    private let output: Output

    init(_ session: RunSession, _ output: Output) {
        self.session = session
        self.output = output
    }

    /// Runs the session. Throws the exit status, after saying why, where it could not be carried out.
    func run() throws -> RunSession.Report {
        // Listening begins before the run does, so that no signal comes too early.
        Signals.onStop(
            {
                session.stop()
                output.writeError("stopping: what is under way may go on for 10 seconds; once more stops it at once\n")
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
