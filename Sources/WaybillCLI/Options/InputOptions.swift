import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline
import WaybillPlan

/// Values for the manifest: its inputs, and the environment variables that inputs and secrets name.
struct InputOptions: ParsableArguments {
    @Option(
        name: .customLong("input"),
        help: "A value for an input, as NAME=VALUE; may be repeated.",
        completion: .inputs
    )
    var inputs: [InputArgument] = []

    @Option(
        name: .customLong("inputs"),
        help: ArgumentHelp(
            """
            A JSON or YAML file of values for inputs, by name; may be repeated, and the last value of an input wins. \
            --input takes precedence over files.
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["json", "yaml", "yml"])
    )
    var inputFiles: [String] = []

    @Option(
        name: .customLong("env-file"),
        help: ArgumentHelp(
            """
            A file of NAME=VALUE lines, for inputs and secrets from environment variables; may be repeated, and the \
            last value wins. Variables that are already set take precedence over files.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var environmentFiles: [String] = []

    /// Returns plan options with these values, and the diagnostics about the files.
    func planOptions() -> (options: PlanOptions, diagnostics: [Diagnostic]) {
        var options = PlanOptions()
        options.inputs = inputs.map { ($0.name, $0.text) }
        options.setVariables()
        let diagnostics = options.read(inputFiles: inputFiles, environmentFiles: environmentFiles)
        return (options, diagnostics)
    }

    /// Returns plan options with these values, and the warnings about the files. If there are errors, reports them and
    /// throws the exit status.
    func planOptions(_ output: Output) throws -> (options: PlanOptions, diagnostics: [Diagnostic]) {
        let (options, diagnostics) = planOptions()
        guard !diagnostics.hasErrors else { throw output.invalid(diagnostics) }
        return (options, diagnostics)
    }
}

/// A value for an input, written NAME=VALUE.
struct InputArgument: ExpressibleByArgument {
    let name: String
    let text: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        name = String(argument[..<equals])
        text = String(argument[equals...].dropFirst())
    }
}
