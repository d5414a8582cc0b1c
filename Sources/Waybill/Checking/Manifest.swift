import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillMock
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting

/// A manifest without errors and everything that it includes: the result of ``Manifest/init(contentsOf:environment:allowsOutside:)``.
public struct Manifest: Sendable {
    let checked: ResolvedManifest
    private let loaded: LoadedManifest
    private let pipeline: Pipeline
    private var manifest: WaybillManifest.Manifest { checked.written }

    /// The warnings, in the order of the text.
    public let warnings: [ManifestDiagnostic]

    init(
        _ checked: ResolvedManifest,
        _ diagnostics: [Diagnostic],
        of loaded: LoadedManifest,
        _ pipeline: Pipeline
    ) {
        self.checked = checked
        self.loaded = loaded
        self.pipeline = pipeline
        warnings = diagnostics.map(ManifestDiagnostic.init)
    }

    /// The path of the manifest, as passed to the loading function.
    public var path: String { manifest.file.name }

    /// The name of the manifest, or of its file if it does not have one.
    public var name: String { manifest.name }

    /// The paths of the manifest and of everything that it includes.
    public var files: [String] { manifest.documents.map(\.file.name) }

    /// The names of its graphs, in the order of the text.
    public var graphs: [String] { Array(manifest.graphs.keys) }

    /// The names of its endpoints, in the order of the text.
    public var endpoints: [String] { Array(manifest.endpoints.keys) }

    /// The names of its environments, in the order of the text.
    public var environments: [String] { Array(manifest.environments.keys) }

    /// The inputs that it takes, in the order of the text.
    public var inputs: [Input] { manifest.inputs.map { Input(name: $0.key, $0.value.value) } }

    /// The environment variables that its secrets come from.
    public var secretVariables: [String] {
        checked.manifest.secrets.values.compactMap(\.value.variable)
    }

    /// Plans a run: which requests are sent in which order, with everything that is known about them in advance. Sends
    /// nothing. Blocks while the data files of the manifest are read for another environment.
    ///
    /// - Parameters:
    ///   - graphs: The graphs to run, in this order; if empty, `main` or the only graph.
    ///   - environment: The environment to apply to the manifest; `nil` for the one that it was checked with.
    ///   - inputs: Values for the manifest's inputs.
    ///   - variables: Environment variables. They are added to those of this process, and replace those of the same names: for inputs and
    ///     secrets that come from one, and in runs for proxies and the user's folder for caches. Secrets can also come from
    ///     ``ManifestRun/Options/secrets``.
    ///   - only: The ids or paths of the steps to run, with those that they need; if empty, all.
    ///   - tags: The tags of which a step must have one; if empty, none is needed.
    ///   - notTags: The tags that a step must not have.
    ///   - concurrency: The maximum number of requests at once, from 1 to 100,000, instead of the manifest's.
    ///   - part: The part of the run to execute, if several processes share the run; `nil` for all of it.
    /// - Throws: ``ManifestError`` with all diagnostics, if one of them is an error.
    public func plan(
        graphs: [String] = [],
        environment: String? = nil,
        inputs: [String: JSONValue] = [:],
        variables: [String: String] = [:],
        only: [String] = [],
        tags: [String] = [],
        notTags: [String] = [],
        concurrency: Int? = nil,
        part: RunPlan.Part? = nil
    ) throws(ManifestError) -> RunPlan {
        var options = PlanOptions(inputs: inputs, variables: variables)
        options.graphs = graphs
        options.selection.steps = only
        options.selection.tags = tags
        options.selection.excludedTags = notTags
        options.concurrency = concurrency
        if let concurrency, !(1...100_000).contains(concurrency) {
            let message = "the concurrency \(concurrency) is not from 1 to 100,000"
            throw ManifestError([Diagnostic("out-of-range", message, at: nil)])
        }
        options.part = try part.map { part throws(ManifestError) in try part.inner() }
        return try plan(options, environment: environment) { [options] checked in
            Pipeline.plan(checked, options).then { plan in
                .init(value: plan, diagnostics: plan.unsafeRequestsOfPart(of: checked, options))
            }
        }
    }

    /// Plans a call of one endpoint. The outputs of its run have the data of the response: `report.outputs["call"]?["data"]`.
    ///
    /// - Parameters:
    ///   - endpoint: The name of the endpoint.
    ///   - environment: The environment to apply to the manifest; `nil` for the one that it was checked with.
    ///   - inputs: Values for the inputs of the endpoint and of the manifest. Another input takes the value of the
    ///     manifest's input or secret with the same name, or its own default.
    ///   - variables: Environment variables. They are added to those of this process, and replace those of the same names.
    /// - Throws: ``ManifestError`` with all diagnostics, if one of them is an error.
    public func plan(
        calling endpoint: String,
        environment: String? = nil,
        inputs: [String: JSONValue] = [:],
        variables: [String: String] = [:]
    ) throws(ManifestError) -> RunPlan {
        let options = PlanOptions(inputs: inputs, variables: variables)
        return try plan(options, environment: environment, calling: endpoint) {
            Pipeline.plan(calling: endpoint, of: $0, options)
        }
    }

    private func plan(
        _ options: PlanOptions,
        environment: String?,
        calling endpoint: String? = nil,
        _ plan: (ResolvedManifest) -> Pipeline.Stage<Plan>
    ) throws(ManifestError) -> RunPlan {
        var stage = Pipeline.Stage(value: checked, diagnostics: checked.diagnostics)
        // An operation of an OpenAPI document can be called by itself.
        let uncalled =
            checked.contracts.isEmpty || endpoint.flatMap { checked.manifest.endpoints[$0] } != nil ? nil : endpoint
        if environment ?? checked.environment != checked.environment || uncalled != nil {
            stage = pipeline.check(
                loaded,
                environment: environment ?? checked.environment,
                operations: uncalled.map(BoundOperations.named) ?? .called
            )
        }
        let planned = stage.then { checked in
            plan(checked).map { PlanDescription($0, of: checked, options: options) }
        }
        guard let description = planned.value else { throw ManifestError(planned.diagnostics) }
        return RunPlan(description, planned.diagnostics, options.variables)
    }
}

extension Manifest {
    /// The routes of the mock server: all requests with `mock`, and all operations of OpenAPI documents.
    var mockRoutes: [MockRoute] {
        let all =
            checked.contracts.isEmpty
            ? checked : pipeline.check(loaded, environment: checked.environment, operations: .all).value ?? checked
        return Pipeline.mockRoutes(of: all).routes
    }
}

extension Manifest: CustomStringConvertible, CustomReflectable {
    /// The path.
    public var description: String { path }

    /// The path and the graphs.
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "graphs": graphs]) }
}

extension PlanOptions {
    /// Creates options with values of inputs, in an order that is the same in every run, and with environment variables in
    /// addition to those of this process.
    init(inputs: [String: JSONValue], variables: [String: String]) {
        self.init()
        values = JSONObject(inputs.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
        setVariables()
        self.variables.merge(variables) { _, given in given }
        variablesBeyondUTF8.subtract(variables.keys)
    }
}

/// A manifest that has errors, or that cannot be used as requested; nothing was sent.
public struct ManifestError: Error, Sendable, Equatable {
    /// All diagnostics in the order of the text: at least one error, and all warnings.
    public let diagnostics: [ManifestDiagnostic]

    init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics.map(ManifestDiagnostic.init)
    }
}

extension ManifestError: CustomStringConvertible {
    /// All diagnostics as `waybill validate` shows them, with source lines, and a summary line.
    public var description: String { diagnostics.document }
}
