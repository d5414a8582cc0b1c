import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlatform
import WaybillRuntime

/// The program.
@main
struct WaybillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waybill",
        abstract: "Runs HTTP requests that are declared in manifests.",
        discussion: """
            A manifest declares services, endpoints, filters, and graphs of requests. All errors in it are reported before the \
            first byte is sent.

            Exit status: 0 all passed, 1 a step failed, 2 the manifest or its inputs are invalid, 3 the run could not be \
            executed or recorded, 64 wrong usage, 129, 130 and 143 interrupted.
            """,
        version: WaybillVersion.current,
        subcommands: [
            InitCommand.self, ImportCommand.self, ExportCommand.self, RunCommand.self, ResumeCommand.self,
            MergeCommand.self,
            RunsCommand.self,
            ShowCommand.self,
            ReportCommand.self,
            StateCommand.self,
            CallCommand.self, LoginCommand.self, LogoutCommand.self,
            ValidateCommand.self, PlanCommand.self, OperationsCommand.self, CoverageCommand.self, MockCommand.self,
            EvalCommand.self,
            SchemaCommand.self, LanguageServerCommand.self, AgentServerCommand.self,
            CacheCommand.self, ExplainCommand.self, CompletionsCommand.self,
        ]
    )
}

extension WaybillCommand {
    /// Runs the command of the command line, and exits with its status.
    static func main() {
        Signals.holdPauses()
        // This comes early, because a file that is opened must not become a standard stream.
        StandardStreams.open()
        if let shortage = SystemLimits.shortage() {
            Output(noColour: false).report([shortage])
            ExitStatus.leave(ExitStatus.notRun)
        }
        Signals.beginListening()
        var command: any ParsableCommand
        do { command = try parseAsRoot(ProgramArguments.words) } catch { end(with: error) }
        if let word = ProgramArguments.firstBeyondUTF8 {
            end(with: ValidationError("The argument '\(word)' is not valid UTF-8."))
        }
        if let error = CurrentFolder.error {
            Output(noColour: false).report([error])
            ExitStatus.leave(ExitStatus.notRun)
        }
        do {
            try command.run()
            ExitStatus.leave(.success)
        } catch let error as ValidationError {
            // Only parsing knows which command an error belongs to.
            let name = type(of: command).configuration.commandName ?? ""
            Output(noColour: true).writeError(
                "Error: \(error.message)\n  See 'waybill \(name) --help' for more information.\n"
            )
            ExitStatus.leave(exitCode(for: error))
        } catch {
            end(with: error)
        }
    }

    /// Returns the name of a command that resembles the first word of the command line, if that names no command.
    private static var suggestion: String? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word = ProgramArguments.words.first, !word.hasPrefix("-"), !names.contains(word) else { return nil }
        return NearestName.of(word, among: names)
    }

    /// Writes the message of an error, or the requested help, and exits.
    private static func end(with error: any Error) -> Never {
        let status = exitCode(for: error)
        var text = fullMessage(for: error)
        if let suggestion { text += "\n  Did you mean 'waybill \(suggestion)'?" }
        if !text.isEmpty {
            let output = Output(noColour: true)
            if status.isSuccess { output.write(text + "\n") } else { output.writeError(text + "\n") }
        }
        ExitStatus.leave(status)
    }
}

/// The exit statuses of the program.
enum ExitStatus {
    /// A step failed.
    static let failed = ExitCode(1)
    /// The manifest or its inputs are invalid.
    static let invalid = ExitCode(2)
    /// The run could not be executed or recorded.
    static let notRun = ExitCode(3)
    /// The reader of standard output has closed the pipe: 128 plus the number of SIGPIPE, as in shells.
    static let brokenPipe = ExitCode(128 + SIGPIPE)

    /// Exits the process.
    static func leave(_ status: ExitCode) -> Never {
        exit(Output.status(after: status).rawValue)
    }
}

extension ExitCode {
    /// The worse of two exit statuses.
    func orWorse(_ other: ExitCode) -> ExitCode { other.rawValue > rawValue ? other : self }
}

extension [Diagnostic] {
    /// The exit status for these errors in files: whether a file could not be read, or its content is invalid.
    var exitStatus: ExitCode {
        contains { $0.id == "unreadable-file" } ? ExitStatus.notRun : ExitStatus.invalid
    }
}
