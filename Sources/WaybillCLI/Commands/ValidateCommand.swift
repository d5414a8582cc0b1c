import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillPlan
import WaybillRuntime

/// `waybill validate`
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks manifests without sending anything.",
        discussion: """
            What is found goes to standard error for people; as json (see waybill schema print diagnostics), sarif (2.1.0) or \
            github (annotations of GitHub Actions) it goes to standard output, one document for all manifests.

            Exit status: 0 all are valid, 2 one is not or cannot be read, 64 wrong usage.
            """
    )

    /// The form of what is found.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// Text with the lines of the manifest.
        case human
        /// One JSON document.
        case json
        /// A log in SARIF 2.1.0.
        case sarif
        /// Workflow commands of GitHub Actions.
        case github
    }

    @OptionGroup var manifests: ManifestsOptions

    @Option(help: "The form of what is found: human, json, sarif or github.")
    var format = Format.human

    @OptionGroup var inputs: InputOptions

    @Flag(help: "Print without colours.")
    var noColor = false

    func run() throws {
        let output = Output(noColour: noColor)
        let paths = try manifests.paths(output)
        let pipeline = try Pipeline(allowsOutside: manifests.allowOutside)
        let (options, given) = inputs.planOptions()
        var findings = given
        var last: ResolvedManifest?
        if format == .human { output.reportPart(findings) }
        for manifest in findings.hasErrors ? [] : paths {
            let stage = pipeline.check(pipeline.load(manifest), environment: manifests.environment)
                .checkingInputs(options)
            findings += stage.diagnostics
            last = stage.value
            guard format == .human else { continue }
            output.reportPart(stage.diagnostics)
            guard stage.value != nil else { continue }
            let name = manifest == "-" ? "standard input" : manifest
            output.write("\(name) is valid\n")
        }
        if let renderer {
            try output.writeResult(Array(renderer.document(for: findings.withoutRepetitions().limitingRepeats()).utf8))
        } else {
            output.summarize(findings)
        }
        // The process ends while it holds the last manifest: to free one of 20,000 definitions takes 90 of 560 ms
        // (Benchmarks/Validate).
        withExtendedLifetime(last) { ExitStatus.leave(findings.hasErrors ? ExitStatus.invalid : .success) }
    }

    /// What writes the whole document; `nil` where each manifest's findings are written as they come.
    private var renderer: (any DiagnosticRenderer)? {
        switch format {
        case .human: nil
        case .json: JSONDiagnosticRenderer()
        case .github: GitHubRenderer()
        case .sarif:
            SARIFRenderer(version: WaybillVersion.current) { id in
                Explanation.of(id).map { .init(title: $0.title, help: $0.paragraphs.joined(separator: "\n\n")) }
            }
        }
    }
}
