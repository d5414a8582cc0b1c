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

    @OptionGroup var inputs: InputOptions

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() async throws {
        let output = Output(noColour: noColor)
        let (planOptions, findings) = inputs.planOptions(environment: options.environment)
        guard !findings.hasErrors else {
            output.report(findings)
            throw ExitStatus.invalid
        }
        let stage = try Pipeline(allowsOutside: options.allowOutside).validate(options.manifest, options: planOptions)
        output.report(findings + stage.diagnostics)
        guard stage.value != nil else { throw ExitStatus.invalid }
        output.write("\(options.manifest) is valid\n")
    }
}
