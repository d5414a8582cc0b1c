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

    @Option(
        help: ArgumentHelp(
            "The base URL of the service that the manifest is for. Default: \(FirstManifest.usualURL), or that of the document.",
            valueName: "url"
        )
    )
    var url: String?

    @Option(
        name: .customLong("openapi"),
        help: ArgumentHelp(
            "The OpenAPI document of the service. The manifest has its security schemes as secrets, and a step for each GET "
                + "operation that requires no input.",
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml", "json"])
    )
    var openAPI: String?

    @Option(
        help: ArgumentHelp(
            "Write the manifest of a file or folder of another tool instead, as 'waybill import' does.",
            valueName: "file"
        ),
        completion: .file()
    )
    var from: String?

    @Flag(help: "Write the schema of manifests too, for editors.")
    var schema = false

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if path.isEmpty { throw ValidationError("The path must not be empty.") }
        if from != nil, url != nil || openAPI != nil || schema {
            throw ValidationError("--from cannot be combined with --url, --openapi or --schema.")
        }
        if let url, FirstManifest(url: url) == nil {
            throw ValidationError(
                "--url takes an absolute http or https URL without credentials, query or fragment, not "
                    + "'\(PrintableText.oneLine(url))'."
            )
        }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        let file = FirstManifest.file(at: path == "." ? "waybill.yaml" : path)
        if let from {
            let options = noColor ? ["--no-color"] : []
            return try ImportCommand.parse(["--out", file] + options + ["--", from]).run()
        }
        guard let manifest = FirstManifest(url: url, hasSchema: schema, openAPI: openAPI) else { return }
        let diagnostics = manifest.write(to: file)
        output.report(diagnostics)
        if diagnostics.hasErrors { throw ExitStatus.notRun }
        guard openAPI == nil else {
            return output.write("wrote \(PrintableText.oneLine(file)). Its first lines show how to try it.\n")
        }
        let command = "waybill run \(PrintableText.shellWord(file)) --mock"
        output.write("wrote \(PrintableText.oneLine(file)). Try it: \(command)\n")
    }
}
