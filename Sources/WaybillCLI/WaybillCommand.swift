import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The program.
@main
struct WaybillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waybill",
        abstract: "Runs declared HTTP work.",
        discussion: """
            A manifest declares services, endpoints, filters, and graphs of requests. Everything wrong in it is found before \
            the first byte is sent.

            Exit status: 0 all passed, 1 a step failed, 2 the manifest or its inputs are invalid, 3 the run could not be \
            executed or recorded, 64 wrong usage, 129, 130 and 143 interrupted.
            """,
        version: WaybillVersion.current,
        subcommands: [
            InitCommand.self, RunCommand.self, ResumeCommand.self, RunsCommand.self, ShowCommand.self,
            ReportCommand.self,
            StateCommand.self,
            CallCommand.self,
            ValidateCommand.self, PlanCommand.self, MockCommand.self, EvalCommand.self, SchemaCommand.self,
            CacheCommand.self, ExplainCommand.self,
        ]
    )
}

extension WaybillCommand {
    /// Where the program begins and ends.
    static func main() {
        // First of all: whatever is opened next must not become a standard stream.
        StandardStreams.open()
        Signals.beginListening()
        do {
            var command = try parseAsRoot(ProgramArguments.words)
            try command.run()
            ExitStatus.leave(.success)
        } catch {
            end(with: error)
        }
    }

    /// Writes the message of an error, or the help that was asked for, and ends the process.
    private static func end(with error: any Error) -> Never {
        let status = exitCode(for: error)
        let text = fullMessage(for: error)
        if !text.isEmpty {
            let output = Output(noColour: true)
            if status.isSuccess { output.write(text + "\n") } else { output.writeError(text + "\n") }
        }
        ExitStatus.leave(status)
    }
}

/// What the program tells its caller.
enum ExitStatus {
    /// A step failed.
    static let failed = ExitCode(1)
    /// The manifest or its inputs are invalid.
    static let invalid = ExitCode(2)
    /// The run could not be executed or recorded.
    static let notCarriedOut = ExitCode(3)
    /// The reader of standard output has gone away: 128 and the number of SIGPIPE, as shells have it.
    static let brokenPipe = ExitCode(128 + SIGPIPE)

    /// Ends the process.
    static func leave(_ status: ExitCode) -> Never {
        exit(Output.status(after: status).rawValue)
    }
}

extension ExitCode {
    /// The worse of two exit statuses.
    func orWorse(_ other: ExitCode) -> ExitCode { other.rawValue > rawValue ? other : self }
}

extension [Diagnostic] {
    /// The exit status of errors in what a command was given: whether something could not be read, or says what it may not.
    var exitStatus: ExitCode {
        contains { $0.id == "unreadable-file" } ? ExitStatus.notCarriedOut : ExitStatus.invalid
    }
}
