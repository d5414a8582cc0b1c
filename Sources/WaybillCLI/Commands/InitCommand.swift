import ArgumentParser
import Waybill
import WaybillDiagnostics

/// `waybill init`
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a first manifest, which runs at once on its own examples.",
        discussion: """
            Nothing that is there is ever overwritten. With --schema the schema of manifests is written beside it, as \
            \(FirstManifest.schemaName), and the manifest's first line leads editors with a YAML language server to it.

            Exit status: 0 it is written, 3 it cannot be, 64 wrong usage.
            """
    )

    @Argument(
        help: "The file, which ends in .yaml or .yml, or the folder for a waybill.yaml.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var path = "."

    @Option(help: ArgumentHelp("The address of the service that the manifest is for.", valueName: "url"))
    var url = FirstManifest.usualURL

    @Flag(help: "Write the schema of manifests too, for editors.")
    var schema = false

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if path.isEmpty { throw ValidationError("The path must not be empty.") }
        guard FirstManifest(url: url) != nil else {
            throw ValidationError(
                "--url takes an absolute http or https URL without credentials, query and fragment, not "
                    + "'\(PrintableText.oneLine(url))'."
            )
        }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        let file = FirstManifest.file(at: path == "." ? "waybill.yaml" : path)
        guard let manifest = FirstManifest(url: url, hasSchema: schema) else { return }
        let findings = manifest.write(to: file)
        output.report(findings)
        if findings.hasErrors { throw ExitStatus.notCarriedOut }
        output.write("\(file) is written. Try it: waybill run \(file) --mock\n")
    }
}
