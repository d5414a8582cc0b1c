import ArgumentParser
import WaybillDiagnostics
import WaybillPipeline

/// `waybill init`
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a first manifest that can be run right away, with its own mock examples.",
        discussion: """
            Existing files are never overwritten. --schema also writes the schema of manifests next to the manifest, as \
            \(FirstManifest.schemaName); the first line of the manifest points YAML language servers in editors to it.

            Exit status: 0 the manifest was written, 3 it could not be written, 64 wrong usage.
            """
    )

    @Argument(
        help: "The file to write, with the extension .yaml or .yml, or the folder for a waybill.yaml.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var path = "."

    @Option(help: ArgumentHelp("The base URL of the service that the manifest is for.", valueName: "url"))
    var url = FirstManifest.usualURL

    @Flag(help: "Write the schema of manifests too, for editors.")
    var schema = false

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if path.isEmpty { throw ValidationError("The path must not be empty.") }
        guard FirstManifest(url: url) != nil else {
            throw ValidationError(
                "--url takes an absolute http or https URL without credentials, query or fragment, not "
                    + "'\(PrintableText.oneLine(url))'."
            )
        }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        let file = FirstManifest.file(at: path == "." ? "waybill.yaml" : path)
        guard let manifest = FirstManifest(url: url, hasSchema: schema) else { return }
        let diagnostics = manifest.write(to: file)
        output.report(diagnostics)
        if diagnostics.hasErrors { throw ExitStatus.notRun }
        let command = "waybill run \(PrintableText.shellWord(file)) --mock"
        output.write("wrote \(PrintableText.oneLine(file)). Try it: \(command)\n")
    }
}
