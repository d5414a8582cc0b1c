import ArgumentParser
import WaybillDiagnostics
import WaybillJSON
import WaybillPipeline

/// `waybill state`
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Shows and changes the values that a manifest's next run starts from.",
        discussion: """
            A graph with 'state' keeps values from run to run. They are stored in waybill-results/state/NAME.json, \
            or NAME.ENVIRONMENT.json with --env, whenever a run passes.
            """,
        subcommands: [Show.self, Set.self, Clear.self]
    )

    /// The options that select a state.
    struct Options: ParsableArguments {
        @OptionGroup var manifest: ManifestOptions

        @Option(
            help: ArgumentHelp("The state file, as for 'waybill run'.", valueName: "file"),
            completion: .file(extensions: ["json"])
        )
        var state: String?

        /// Calls a function with the stored state. Throws the exit status, after reporting errors.
        func use(_ body: (StoredState, Output) throws(RunError) -> Void) throws {
            let output = Output(noColour: true)
            let stage = try manifest.checkedManifest()
            guard let checked = stage.value else { throw output.invalid(stage.diagnostics) }
            do throws(RunError) {
                try body(StoredState(of: checked, file: state), output)
            } catch {
                guard error.manifestDiagnostics.isEmpty else { throw output.invalid(error.manifestDiagnostics) }
                throw output.notRun(error.commandMessage)
            }
        }
    }

    /// `waybill state show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Prints each value, as JSON, and the run that stored it."
        )

        @OptionGroup var options: Options

        func run() throws {
            try options.use { (state, output) throws(RunError) in
                for entry in try state.entries() {
                    let origin =
                        entry.origin.map { "stored by \($0)" } ?? (entry.isStored ? "set by hand" : "the default")
                    let value = PrintableText.oneLine(JSONWriter().string(entry.value))
                    output.write("\(entry.graph).\(entry.name) = \(value)  (\(origin))\n")
                }
            }
        }
    }

    /// `waybill state set`
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Stores a value for the next run."
        )

        @OptionGroup var options: Options

        @Argument(help: "The name of the value, or GRAPH.NAME.", completion: .names(.state))
        var name: String

        @Argument(help: "The value: a string if the default is a string, otherwise JSON.")
        var value: String

        func run() throws {
            try options.use { (state, _) throws(RunError) in try state.set(name, to: value) }
        }
    }

    /// `waybill state clear`
    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Removes one or all stored values, so that the next run starts from the defaults."
        )

        @OptionGroup var options: Options

        @Argument(help: "The name of the value, or GRAPH.NAME. Default: all values.", completion: .names(.state))
        var name: String?

        func run() throws {
            try options.use { (state, _) throws(RunError) in try state.clear(name) }
        }
    }
}
