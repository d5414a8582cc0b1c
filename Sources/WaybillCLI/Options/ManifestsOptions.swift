import ArgumentParser
import WaybillDiagnostics
import WaybillManifest
import WaybillPipeline
import WaybillPlan

/// Any number of manifests, their environment, and what they may access.
struct ManifestsOptions: ParsableArguments {
    @Argument(
        help: """
            The manifests, or folders of manifests; - reads standard input. Default: waybill.yaml.
            """,
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifests: [String] = []

    @Option(
        name: .customLong("env"),
        help: "The environment to apply to each manifest.",
        completion: .names(.environment)
    )
    var environment: String?

    @Flag(help: "Allow manifests to use files outside their folders and to write outside the results folder.")
    var allowOutside = false

    func validate() throws {
        if manifests.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read only once.") }
    }

    /// The paths from the command line, or that of the default manifest.
    var pathsOrUsual: [String] { manifests.isEmpty ? [ManifestFinder.usual] : manifests }

    /// Returns the paths of the manifests. If a folder contains none, or a YAML file in it cannot be read, reports that and
    /// throws the exit status.
    ///
    /// - Parameter namesOthers: Whether to name the YAML files in folders that are not manifests.
    func paths(_ output: Output, namesOthers: Bool = false) throws -> [String] {
        guard !manifests.isEmpty || ManifestFinder.hasUsual else {
            throw ValidationError(
                "Name a manifest or a folder of manifests; the current folder has no \(ManifestFinder.usual)."
            )
        }
        let found = ManifestFinder.manifests(at: pathsOrUsual)
        for path in namesOthers ? found.others : [] {
            output.writeError("'\(PrintableText.oneLine(path))' is not a manifest\n")
        }
        guard found.errors.isEmpty else {
            output.report(found.errors)
            throw found.errors.exitStatus
        }
        return found.manifests
    }

    /// Reads manifests and checks each with its environment.
    func checked(
        _ paths: [String],
        files: any ManifestFileSystem = LocalFiles()
    ) throws -> [Pipeline.Stage<ResolvedManifest>] {
        let pipeline = Pipeline(files: files, allowsOutside: allowOutside)
        return paths.map { pipeline.check(pipeline.load($0), environment: environment) }
    }
}
