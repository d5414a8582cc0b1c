import ArgumentParser
import WaybillDiagnostics
import WaybillExplanations
import WaybillPipeline
import WaybillPlan

/// `waybill validate`
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks manifests without sending anything.",
        discussion: """
            With --format human, diagnostics are printed to standard error. With json (see 'waybill schema print \
            diagnostics'), sarif (2.1.0) or github (annotations for GitHub Actions), they are printed to standard \
            output, as one document for all manifests.

            Exit status: 0 all manifests are valid, 2 a manifest is invalid or could not be read, 64 wrong usage.
            """
    )

    /// The format of the diagnostics.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// Text with the lines of the manifest.
        case human
        /// One JSON document.
        case json
        /// A SARIF 2.1.0 log.
        case sarif
        /// Workflow commands of GitHub Actions.
        case github
    }

    @OptionGroup var manifests: ManifestsOptions

    @Option(help: "The format of the diagnostics: human, json, sarif or github.")
    var format = Format.human

    @Flag(help: "Check all of the OpenAPI documents that services name, not only the operations that are called.")
    var contract = false

    @OptionGroup var inputs: InputOptions

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() throws {
        let output = Output(noColour: noColor)
        let paths = try manifests.paths(output)
        let pipeline = Pipeline(allowsOutside: manifests.allowOutside)
        var (options, given) = inputs.planOptions()
        var diagnostics = given
        var last: ResolvedManifest?
        if format == .human { output.reportPart(diagnostics) }
        let loaded = diagnostics.hasErrors ? [] : paths.map { pipeline.load($0) }
        loaded.shareInputs(&options)
        let environments = loaded.environments(manifests.environment, output)
        let parts = loaded.parts(besides: manifests.manifests)
        for (index, (loaded, environment)) in zip(loaded, environments).enumerated() {
            let manifest = paths[index]
            let stage = pipeline.check(loaded, environment: environment, checksContracts: contract)
                .checkingInputs(options)
            if stage.value == nil, parts.contains(index) { continue }
            diagnostics += stage.diagnostics
            last = stage.value
            guard format == .human else { continue }
            output.reportPart(stage.diagnostics.withoutRepetitions())
            guard stage.value != nil else { continue }
            let name = manifest == "-" ? "standard input" : manifest
            output.write("\(PrintableText.oneLine(name)) is valid\n")
        }
        if let document = document(for: diagnostics.withoutRepetitions().limitingRepeats()) {
            try output.writeResult(Array(document.utf8), as: format == .github ? .annotations : .json)
        } else {
            output.summarize(diagnostics)
        }
        // The process exits while it still holds the last manifest: freeing one with 20,000 definitions takes 90 of 560
        // ms (Benchmarks/Validate).
        withExtendedLifetime(last) { ExitStatus.leave(diagnostics.hasErrors ? ExitStatus.invalid : .success) }
    }

    /// Returns the whole document; `nil` if the diagnostics of each manifest are written as soon as it is checked.
    private func document(for diagnostics: [Diagnostic]) -> String? {
        switch format {
        case .human: nil
        case .json: JSONDiagnosticRenderer.document(for: diagnostics)
        case .github: GitHubRenderer(Output.githubPaths).document(for: diagnostics)
        case .sarif: SARIFRenderer.document(for: diagnostics)
        }
    }
}
