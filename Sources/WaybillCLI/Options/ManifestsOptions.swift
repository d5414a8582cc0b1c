import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan

/// Any number of manifests, and what is laid over them.
struct ManifestsOptions: ParsableArguments {
    @Argument(
        help: """
            Manifests, and folders whose manifests are meant; waybill.yaml if there is none. - reads standard input.
            """,
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifests: [String] = []

    @Option(name: .customLong("env"), help: "The environment to lay over each manifest.")
    var environment: String?

    @Flag(help: "Let the manifests use files outside their folders, and write outside the results folder.")
    var allowOutside = false

    func validate() throws {
        if manifests.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read only once.") }
    }

    /// The paths that are given, or that of the default manifest.
    var pathsOrUsual: [String] { manifests.isEmpty ? [ManifestFinder.usual] : manifests }

    /// The paths of the manifests. Throws the exit status, after saying why, if a folder has none.
    func paths(_ output: Output) throws -> [String] {
        guard !manifests.isEmpty || ManifestFinder.hasUsual else {
            throw ValidationError(
                "Name a manifest, or a folder of manifests; there is no \(ManifestFinder.usual) in this folder."
            )
        }
        let (paths, errors) = ManifestFinder.manifests(at: pathsOrUsual)
        guard errors.isEmpty else {
            output.report(errors)
            throw errors.exitStatus
        }
        return paths
    }

    /// Reads manifests and checks each with its environment.
    func checked(
        _ paths: [String],
        files: any ManifestFileSystem = LocalFiles()
    ) throws -> [Pipeline.Stage<ResolvedManifest>] {
        let pipeline = try Pipeline(files: files, allowsOutside: allowOutside)
        return paths.map { pipeline.check(pipeline.load($0), environment: environment) }
    }
}
