import ArgumentParser
import Waybill
import WaybillPlan

/// The manifest and what is laid over it.
struct ManifestOptions: ParsableArguments {
    @Argument(
        help: "The manifest, a YAML file; - reads standard input.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifest: String

    @Option(name: .customLong("env"), help: "The environment to lay over the manifest.")
    var environment: String?

    @Flag(help: "Let the manifest use files outside its folder, and write outside the results folder.")
    var allowOutside = false

    /// Reads the manifest and checks it with its environment.
    func checkedManifest() throws -> Pipeline.Stage<ResolvedManifest> {
        let pipeline = try Pipeline(allowsOutside: allowOutside)
        return pipeline.check(pipeline.load(manifest), environment: environment)
    }
}
