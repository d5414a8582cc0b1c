import ArgumentParser
import WaybillData
import WaybillDiagnostics

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The program.
@main
struct WaybillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waybill",
        abstract: "Runs declared HTTP work.",
        discussion: """
            A manifest declares services, endpoints, filters, and graphs of requests. Everything wrong in it is found before \
            the first byte is sent.

            Exit status: 0 all passed, 1 a step failed, 2 the manifest or its inputs are invalid, 3 the run could not be \
            carried out or recorded, 64 wrong usage, 130 and 143 interrupted.
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
    /// Where the program begins.
    ///
    /// Commands that wait for nothing run on the main thread, where memory is had from the system in large pieces at a time;
    /// a large manifest takes much of it.
    @MainActor
    static func main() async {
        Signals.beginListening()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
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

    /// Ends the process at once, while a value is still held: to free a large manifest piece by piece would take about as
    /// long as to read it, and the system takes the memory back all at once.
    static func leave(_ status: ExitCode, holding value: some Any) -> Never {
        withExtendedLifetime(value) { exit(status.rawValue) }
    }
}

extension [Diagnostic] {
    /// The exit status of errors in what a command was given: whether something could not be read, or says what it may not.
    var exitStatus: ExitCode {
        contains { $0.id == "unreadable-file" } ? ExitStatus.notCarriedOut : ExitStatus.invalid
    }
}
