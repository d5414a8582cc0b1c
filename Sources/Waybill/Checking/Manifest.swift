import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting

/// A manifest without errors and everything that it includes: the result of ``Manifest/init(contentsOf:environment:allowsOutside:)``.
public struct Manifest: Sendable {
    private let checked: ResolvedManifest
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

    /// The names of the inputs that it takes, in the order of the text.
    public var inputs: [String] { Array(manifest.inputs.keys) }

    /// The environment variables that its secrets come from.
    public var secretVariables: [String] {
        checked.manifest.secrets.values.map(\.value.environmentVariable.value)
    }

    /// Plans a run: which requests are sent in which order, with everything that is known about them in advance. Sends
    /// nothing.
    ///
    /// - Parameters:
    ///   - graphs: The graphs to run, in this order; if empty, `main` or the only graph.
    ///   - environment: The environment to apply to the manifest; `nil` for the one that it was checked with.
    ///   - inputs: Values for the manifest's inputs.
    ///   - variables: Environment variables, for inputs and secrets that come from one; `nil` for those of this
    ///     process.
    ///   - concurrency: The maximum number of requests at once, from 1 to 100,000, instead of the manifest's.
    /// - Throws: ``ManifestError`` with all diagnostics, if one of them is an error.
    public func plan(
        graphs: [String] = [],
        environment: String? = nil,
        inputs: [String: JSONValue] = [:],
        variables: [String: String]? = nil,
        concurrency: Int? = nil
    ) throws -> RunPlan {
        var options = PlanOptions()
        options.graphs = graphs
        options.values = JSONObject(inputs: inputs)
        options.setVariables(variables)
        options.concurrency = concurrency.map { max(1, $0) }
        var stage = Pipeline.Stage(value: checked, diagnostics: checked.diagnostics)
        if let environment, environment != checked.environment {
            stage = pipeline.check(loaded, environment: environment)
        }
        let planned = stage.then { checked in
            Pipeline.plan(checked, options).map { PlanDescription($0, of: checked, options: options) }
        }
        guard let description = planned.value else { throw ManifestError(planned.diagnostics) }
        return RunPlan(description, planned.diagnostics, options.variables)
    }
}

extension Manifest: CustomStringConvertible, CustomReflectable {
    /// The path.
    public var description: String { path }

    /// The path and the graphs.
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "graphs": graphs]) }
}

extension JSONObject {
    /// Creates an object from values of inputs, in an order that is the same in every run.
    init(inputs: [String: JSONValue]) {
        self.init(inputs.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
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
    public var description: String { HumanRenderer().document(for: diagnostics.map(\.diagnostic)) }
}
