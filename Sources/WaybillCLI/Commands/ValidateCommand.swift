import ArgumentParser
import Waybill
import WaybillDiagnostics

/// `waybill validate`
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks a manifest without sending anything."
    )

    @OptionGroup var options: ManifestOptions

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() async throws {
        let output = Output(noColour: noColor)
        let stage = try Pipeline(allowsOutside: options.allowOutside)
            .validate(options.manifest, environment: options.environment)
        output.report(stage.diagnostics)
        guard stage.value != nil else { throw ExitStatus.invalid }
        output.write("\(options.manifest) is valid\n")
    }
}
