import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan

/// A manifest without errors, with everything that it includes: the result of ``load(_:environment:allowsOutside:)``.
public struct CheckedManifest: Sendable {
    private let checked: ResolvedManifest
    private let loaded: LoadedManifest
    private let pipeline: Pipeline
    private var manifest: Manifest { checked.written }

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

    /// Its path, as it was given.
    public var path: String { manifest.file.name }

    /// Its name; that of the file when it gives none.
    public var name: String { manifest.name }

    /// The paths of the manifest itself and of everything it includes.
    public var files: [String] { manifest.sources.map(\.name) }

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

    /// The plan of a run: which requests are sent in which order, with everything about them that is known before. Nothing
    /// is sent.
    ///
    /// - Parameters:
    ///   - graphs: The graphs to run, in this order; none: `main`, or the only one.
    ///   - environment: The environment that is laid over the manifest; `nil`: that of the check.
    ///   - inputs: Values for the manifest's inputs.
    ///   - variables: Environment variables, for inputs and secrets that come from one; `nil`: those of this process.
    ///   - concurrency: The greatest number of requests at once, from 1, instead of the manifest's.
    /// - Throws: ``ManifestError`` with all diagnostics, if one of them is an error.
    public func plan(
        graphs: [String] = [],
        environment: String? = nil,
        inputs: [String: Value] = [:],
        variables: [String: String]? = nil,
        concurrency: Int? = nil
    ) throws -> RunPlan {
        var options = PlanOptions()
        options.graphs = graphs
        options.values = JSONObject(inputs: inputs)
        options.variables = variables ?? ProcessVariables.all
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

extension CheckedManifest: CustomStringConvertible, CustomReflectable {
    /// Its path.
    public var description: String { path }

    /// Its path and what can be run.
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "graphs": graphs]) }
}

extension JSONObject {
    /// Values of inputs, in an order that does not change from run to run.
    init(inputs: [String: Value]) {
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
    /// All diagnostics as `waybill validate` shows them, with the lines of the text, and a last line that counts them.
    public var description: String { HumanRenderer().document(for: diagnostics.map(\.diagnostic)) }
}
