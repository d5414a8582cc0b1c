import ArgumentParser
import CPlatform
import Waybill
import WaybillData
import WaybillDiagnostics

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
            carried out or recorded, 64 wrong usage, 129, 130 and 143 interrupted.
            """,
        version: WaybillVersion.current,
        subcommands: [
            InitCommand.self, RunCommand.self, ResumeCommand.self, RunsCommand.self, ShowCommand.self, CallCommand.self,
            ValidateCommand.self, PlanCommand.self, MockCommand.self, EvalCommand.self, SchemaCommand.self,
            ExplainCommand.self,
        ]
    )
}

extension WaybillCommand {
    /// Where the program begins and ends.
    static func main() {
        // First of all: whatever is opened next must not become a standard stream.
        StandardStreams.open()
        Signals.beginListening()
        waybill_take_memory_in_large_pieces()
        do {
            var command = try parse()
            try command.run()
            ExitStatus.leave(.success)
        } catch {
            end(with: error)
        }
    }

    /// The command that the arguments ask for.
    ///
    /// One that is named first is asked by itself, which takes half as long as the way through the tree of commands, since
    /// ArgumentParser looks for requests for completion scripts in that. Help, mistakes and all else are for the tree.
    private static func parse() throws -> any ParsableCommand {
        let words = ProgramArguments.words
        if let type = configuration.subcommands.first(where: { $0.configuration.commandName == words.first }),
            let command = try? type.parseAsRoot(Array(words.dropFirst())), Swift.type(of: command) == type
        {
            return command
        }
        return try parseAsRoot(words)
    }

    /// Says what is to be said of an error or of help that was asked for, and ends the process.
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
    /// The run could not be carried out or recorded.
    static let notCarriedOut = ExitCode(3)
    /// The reader of standard output has gone away: 128 and the number of SIGPIPE, as shells have it.
    static let brokenPipe = ExitCode(128 + SIGPIPE)

    /// Ends the process at once. What the system takes back anyway is not given back piece by piece before, which would
    /// take a fifth as long as a run of one request; and other threads, such as one that makes libcurl ready, may be in
    /// the middle of something that what libraries do at an `exit` must not meet.
    static func leave(_ status: ExitCode) -> Never {
        _exit(Output.status(after: status).rawValue)
    }

    /// The same while a value is still held: to free a large manifest piece by piece would take about as long as to read it.
    static func leave(_ status: ExitCode, holding value: some Any) -> Never {
        withExtendedLifetime(value) { leave(status) }
    }
}

extension [Diagnostic] {
    /// The exit status of errors in what a command was given: whether something could not be read, or says what it may not.
    var exitStatus: ExitCode {
        contains { $0.id == "unreadable-file" } ? ExitStatus.notCarriedOut : ExitStatus.invalid
    }
}
