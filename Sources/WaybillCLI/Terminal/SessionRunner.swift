import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillResults

/// Runs a session to its end, or until a signal asks it to stop.
struct SessionRunner {
    private let session: RunSession
    private let output: Output

    init(_ session: RunSession, _ output: Output) {
        self.session = session
        self.output = output
    }

    /// Runs the session. Throws the exit status, after saying why, where it could not be carried out.
    func run() async throws -> RunSession.Report {
        // Listening begins before the run does, so that no signal comes too early.
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        StopSignals.onFirst { stop.finish() }
        let running = Task { () async -> Result<RunSession.Report, RunError> in
            do throws(RunError) {
                return .success(try await session.run())
            } catch {
                return .failure(error)
            }
        }
        let stopping = Task {
            for await _ in stops {}
            running.cancel()
        }
        defer { stopping.cancel() }
        switch await running.value {
        case .success(let report): return report
        case .failure(let error):
            if error.diagnostics.isEmpty {
                output.report([Diagnostic("run-error", error.message, at: nil)])
                throw ExitStatus.notCarriedOut
            }
            output.report(error.diagnostics)
            throw ExitStatus.invalid
        }
    }

    /// Throws the exit status of a run that has ended, unless all passed.
    static func end(with report: RunSession.Report) throws {
        if let signal = StopSignals.received { throw ExitCode(128 + signal) }
        if report.result.outcome != .passed { throw ExitStatus.failed }
    }
}
