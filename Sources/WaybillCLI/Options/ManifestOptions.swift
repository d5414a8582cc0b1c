import ArgumentParser
import WaybillPipeline
import WaybillPlan

/// The manifest, its environment, and what it may access.
struct ManifestOptions: ParsableArguments {
    @Argument(
        help: "The manifest, a YAML file; - reads standard input.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifest: String

    @Option(
        name: .customLong("env"),
        help: "The environment to apply to the manifest.",
        completion: .names(.environment)
    )
    var environment: String?

    @Flag(help: "Allow the manifest to use files outside its folder and to write outside the results folder.")
    var allowOutside = false

    /// Reads the manifest and checks it with its environment.
    ///
    /// - Parameter operations: The operations of OpenAPI documents that can be called.
    func checkedManifest(_ operations: BoundOperations = .called) throws -> Pipeline.Stage<ResolvedManifest> {
        let pipeline = Pipeline(allowsOutside: allowOutside)
        return pipeline.check(pipeline.load(manifest), environment: environment, operations: operations)
    }
}
