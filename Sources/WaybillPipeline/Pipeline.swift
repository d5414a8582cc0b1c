import OrderedCollections
package import WaybillDiagnostics
package import WaybillManifest
package import WaybillPlan
package import WaybillPlanPrinting

/// The stages from a manifest to the report of a run, each a function with named boundary types:
///
///     path or SourceFile ─ load ─→ LoadedManifest ─ check ─→ ResolvedManifest ─ plan ─→ Plan ─ session ─→ Report
///                                                               ├─ explain ─→ EndpointExplanation
///                                                               └─ mockRoutes ─→ MockRoutes
///
/// `load` reads the files, checks their shape and decodes them. `check` applies the environment, resolves the names and
/// runs every rule. It also checks the known parts of a manifest with errors, so that all diagnostics are reported
/// together. Only a manifest without errors has a plan. A session runs the plan and writes the results.
///
/// Every command, `resume`, the mock server and the public interface of the library use these stages and nothing else.
package struct Pipeline: Sendable {
    private let loader: ManifestLoader
    private let files: RecordingFiles
    private let allowsOutside: Bool

    /// The result of one or more stages. It has a value if and only if none of its diagnostics is an error.
    package struct Stage<Value: Sendable>: Sendable {
        /// The value.
        package let value: Value?
        /// All diagnostics, warnings included, in the order of the text.
        package let diagnostics: [Diagnostic]

        /// Drops the value if there is an error, whichever stage reported it.
        package init(value: Value?, diagnostics: [Diagnostic]) {
            self.value = diagnostics.hasErrors ? nil : value
            self.diagnostics = diagnostics.sortedByLocation()
        }
    }

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - files: The file system for manifests, the files they include, data files and the files of schemas.
    ///   - allowsOutside: Whether they may name files outside the folder of the manifest.
    package init(files: any ManifestFileSystem = LocalFiles(), allowsOutside: Bool = false) {
        let files = RecordingFiles(files, keepsTexts: false)
        var loader = ManifestLoader(files: files)
        loader.allowsOutside = allowsOutside
        self.loader = loader
        self.files = files
        self.allowsOutside = allowsOutside
    }

    /// The paths of all files that were read.
    package var readFiles: [String] { files.paths }

    /// Reads the manifest at a path, `-` for standard input, and everything that it includes.
    package func load(_ path: String) -> LoadedManifest { loader.load(path) }

    /// Reads a manifest that is not saved yet. The files that it includes are relative to the path that is its name.
    package func load(_ text: SourceFile) -> LoadedManifest { loader.load(text) }

    /// Applies an environment to a manifest and checks it by every rule.
    ///
    /// - Parameters:
    ///   - operations: The operations of its OpenAPI documents that can be called.
    ///   - checksContracts: Whether all of its OpenAPI documents are checked, not only the operations it calls.
    package func check(
        _ loaded: LoadedManifest,
        environment: String? = nil,
        operations: BoundOperations = .called,
        checksContracts: Bool = false
    ) -> Stage<ResolvedManifest> {
        let (checked, diagnostics) = inspect(
            loaded,
            environment: environment,
            operations: operations,
            checksContracts: checksContracts
        )
        return Stage(value: checked, diagnostics: diagnostics)
    }

    /// Checks a manifest that may have errors, for tools that use what is known of it; see `check`.
    ///
    /// - Returns: The manifest, unless it could not be parsed, and all diagnostics, in no particular order.
    package func inspect(
        _ loaded: LoadedManifest,
        environment: String? = nil,
        operations: BoundOperations = .called,
        checksContracts: Bool = false
    ) -> (checked: ResolvedManifest?, diagnostics: [Diagnostic]) {
        guard let manifest = loaded.manifest else { return (nil, loaded.diagnostics) }
        var checked = PlanBuilder.check(
            manifest,
            environment: environment,
            files: files,
            allowsOutside: allowsOutside,
            operations: operations,
            checksContracts: checksContracts
        )
        checked.readFiles = files.paths
        return (checked, loaded.diagnostics + checked.diagnostics)
    }

    /// Checks a manifest only as far as its OpenAPI documents are concerned: calls may be wrong.
    ///
    /// - Parameter operations: The operations that become endpoints.
    package func contracts(
        _ loaded: LoadedManifest,
        environment: String? = nil,
        operations: BoundOperations = .called
    ) -> (checked: ResolvedManifest?, diagnostics: [Diagnostic]) {
        let (checked, diagnostics) = inspect(loaded, environment: environment, operations: operations)
        return (checked, checked?.contracts.isEmpty == false ? loaded.diagnostics : diagnostics)
    }

    /// Makes the plan of the graphs that the options select.
    package static func plan(_ checked: ResolvedManifest, _ options: PlanOptions) -> Stage<Plan> {
        var (plan, diagnostics) = PlanBuilder.plan(checked, options: options)
        plan?.readFiles += options.readFiles
        return Stage(value: plan, diagnostics: diagnostics)
    }

    /// Makes the plan of one call of an endpoint.
    package static func plan(
        calling endpoint: String,
        of checked: ResolvedManifest,
        _ options: PlanOptions
    ) -> Stage<Plan> {
        var (plan, diagnostics) = PlanBuilder.plan(calling: endpoint, of: checked, options: options)
        plan?.readFiles += options.readFiles
        return Stage(value: plan, diagnostics: diagnostics)
    }

    /// Explains which level of the manifest each setting and value of an endpoint comes from.
    package static func explain(
        _ endpoint: String,
        of checked: ResolvedManifest,
        _ options: PlanOptions
    ) -> Stage<EndpointExplanation> {
        let (cascade, diagnostics) = PlanBuilder.endpoint(named: endpoint, in: checked)
        let explanation = cascade.map { EndpointExplanation($0, of: checked, options: options) }
        return Stage(value: explanation, diagnostics: diagnostics)
    }

    /// Collects the examples of every request for the mock server, also of requests in graphs that are not run.
    package static func mockRoutes(of checked: ResolvedManifest) -> MockRoutes {
        MockRoutes(ofManifest: PlanBuilder.requests(of: checked))
    }

    /// Returns the files with constant paths that a manifest names, such as snapshots, cookie jars and netrc files.
    package static func namedFiles(of checked: ResolvedManifest) -> [String] {
        PlanBuilder.namedFiles(of: checked).map(\.location)
    }

    /// Prepares the run of a plan: `run()` of the session sends its requests, writes the results and returns the report.
    package static func session(for plan: Plan, _ options: RunOptions) -> RunSession {
        RunSession(plan: plan, options: options)
    }
}

extension Pipeline.Stage {
    /// Runs the next stage if there is a value, and returns its value with the diagnostics of both.
    package func then<Next>(_ next: (Value) -> Pipeline.Stage<Next>) -> Pipeline.Stage<Next> {
        guard let value else { return .init(value: nil, diagnostics: diagnostics) }
        let following = next(value)
        return .init(value: following.value, diagnostics: diagnostics + following.diagnostics)
    }

    /// Returns the same diagnostics with another value.
    package func map<Other>(_ transform: (Value) -> Other) -> Pipeline.Stage<Other> {
        .init(value: value.map(transform), diagnostics: diagnostics)
    }

    /// Returns the same value without the warnings that have one of some ids.
    package func without(_ ids: DiagnosticID...) -> Self {
        .init(value: value, diagnostics: diagnostics.filter { $0.severity == .error || !ids.contains($0.id) })
    }
}

extension Pipeline.Stage<ResolvedManifest> {
    /// Adds the errors in the inputs that the options have. Inputs that are missing are not reported.
    package func checkingInputs(_ options: PlanOptions) -> Self {
        then { .init(value: $0, diagnostics: PlanBuilder.checkInputs(of: $0.manifest, options: options)) }
    }
}
