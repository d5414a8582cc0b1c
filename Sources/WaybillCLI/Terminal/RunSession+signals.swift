import ArgumentParser
import WaybillDiagnostics
import WaybillExecution
import WaybillPipeline
import WaybillResults

extension RunSession {
    /// Runs the session until it finishes or a signal stops it; other signals pause and continue it. If the run could not
    /// be executed or recorded, reports the reason and throws the exit status.
    func run(_ output: Output) throws -> Report {
        let control = control
        // Signals are handled before the run starts, so that none comes too early.
        Signals.onStop(
            {
                control.stop()
                output.writeError(Signals.stopMessage)
            },
            { control.cancelAll() }
        )
        Signals.onPause({ control.pause() }, unpause: { control.unpause() })
        // After the run, the first signal changes nothing, and the second one ends the program.
        defer { Signals.ignoreFirst(output) }
        do throws(RunError) {
            return try waiting { () async throws(RunError) in try await self.run() }
        } catch {
            if error.code == .stopped, let signal = Signals.received { throw ExitCode(128 + signal) }
            throw error.manifestDiagnostics.isEmpty
                ? output.notRun(error.commandMessage) : output.invalid(error.manifestDiagnostics)
        }
    }
}

extension RunSession.Report {
    /// Throws the exit status of the run, unless everything passed.
    func throwStatus() throws {
        switch result.outcome {
        case .passed: return
        case .failed: throw ExitStatus.failed
        // A signal that arrives when everything is done changes neither the outcome nor the status.
        case .interrupted: throw Signals.received.map { ExitCode(128 + $0) } ?? ExitStatus.failed
        }
    }
}

extension Signals {
    /// The message for the first signal to stop.
    static let stopMessage = "stopping: running requests have 10 seconds to finish; a second Ctrl-C cancels them\n"

    /// Lets the next signal to stop change nothing, because everything has finished and is only being printed or
    /// reported, and the one after it end the program.
    static func ignoreFirst(_ output: Output) {
        onStop({ output.writeError("the run has finished; a second Ctrl-C ends the program at once\n") })
    }
}
