import WaybillDiagnostics
import WaybillManifest
import WaybillPipeline

extension Manifest {
    /// Reads a manifest and everything that it includes, and checks it by every rule. Sends nothing. Blocks while files are
    /// read: in an `async` function, the thread of the task waits.
    ///
    /// ```swift
    /// let manifest = try Manifest(contentsOf: "accounts.yaml")
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the manifest, `-` for standard input.
    ///   - environment: The environment to apply to the manifest for the check, and for plans that do not name one.
    ///   - allowsOutside: Whether includes, data files and written files may be outside the folder of the manifest.
    /// - Throws: ``ManifestError`` with all diagnostics, if one of them is an error.
    public init(
        contentsOf path: String,
        environment: String? = nil,
        allowsOutside: Bool = false
    ) throws(ManifestError) {
        let pipeline = Pipeline(allowsOutside: allowsOutside)
        try self.init(pipeline.load(path), pipeline, environment: environment)
    }

    /// Checks the text of a manifest, and everything that it includes, by every rule. Sends nothing. Blocks while included
    /// files are read.
    ///
    /// - Parameters:
    ///   - text: The text of the manifest.
    ///   - path: The path where it would be saved. Diagnostics contain this path, and included files are relative to it.
    ///   - environment: The environment to apply to the manifest for the check, and for plans that do not name one.
    ///   - allowsOutside: Whether includes, data files and written files may be outside the folder of the path.
    /// - Throws: ``ManifestError`` with all diagnostics, if one of them is an error.
    public init(
        text: String,
        path: String,
        environment: String? = nil,
        allowsOutside: Bool = false
    ) throws(ManifestError) {
        let pipeline = Pipeline(allowsOutside: allowsOutside)
        try self.init(pipeline.load(SourceFile(name: path, text: text)), pipeline, environment: environment)
    }

    private init(_ loaded: LoadedManifest, _ pipeline: Pipeline, environment: String?) throws(ManifestError) {
        let stage = pipeline.check(loaded, environment: environment)
        guard let checked = stage.value else { throw ManifestError(stage.diagnostics) }
        self.init(checked, stage.diagnostics, of: loaded, pipeline)
    }

    /// Returns all errors and warnings in a manifest and in everything that it includes, in the order of the text.
    /// Blocks while files are read.
    ///
    /// - Parameters:
    ///   - path: The path of the manifest, `-` for standard input.
    ///   - environment: The environment to apply to the manifest.
    ///   - allowsOutside: Whether includes, data files and written files may be outside the folder of the manifest.
    public static func diagnostics(
        contentsOf path: String,
        environment: String? = nil,
        allowsOutside: Bool = false
    ) -> [ManifestDiagnostic] {
        let pipeline = Pipeline(allowsOutside: allowsOutside)
        return pipeline.check(pipeline.load(path), environment: environment).diagnostics.map(ManifestDiagnostic.init)
    }

    /// Returns all errors and warnings in a manifest that is not saved yet, such as in an editor.
    ///
    /// - Parameters:
    ///   - text: The text of the manifest.
    ///   - path: The path where it would be saved. Diagnostics contain this path, and included files are relative to it.
    ///   - environment: The environment to apply to the manifest.
    ///   - allowsOutside: Whether includes, data files and written files may be outside the folder of the path.
    public static func diagnostics(
        text: String,
        path: String,
        environment: String? = nil,
        allowsOutside: Bool = false
    ) -> [ManifestDiagnostic] {
        let pipeline = Pipeline(allowsOutside: allowsOutside)
        let file = SourceFile(name: path, text: text)
        return pipeline.check(pipeline.load(file), environment: environment).diagnostics.map(ManifestDiagnostic.init)
    }
}
