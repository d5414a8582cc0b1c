import OrderedCollections
package import WaybillDiagnostics
package import WaybillJSON
package import WaybillManifest
import WaybillRuntime

/// What a person asks for besides the manifest.
package struct PlanOptions: Sendable {
    /// The environment to lay over the manifest.
    package var environment: String?
    /// The graphs to run; empty: `main`, or the only one.
    package var graphs: [String] = []
    /// Texts for the manifest's inputs, from the command line.
    package var inputs: [(name: String, text: String)] = []
    /// Files of values for the manifest's inputs; of two that name the same input the later one counts.
    package var inputFiles: [InputsFile] = []
    /// Values for the manifest's inputs, from a program; they go before texts and files.
    package var values = JSONObject()
    /// Values of the manifest's inputs that a run which is resumed had; they go before all others.
    package var earlierInputs = JSONObject()
    /// Environment variables, for inputs that name one.
    package var variables: [String: String] = [:]
    /// The greatest number of requests at once, instead of the manifest's.
    package var concurrency: Int?
    /// Whether data files may lie outside the folder of the manifest.
    package var allowsOutside = false

    /// Nothing asked for.
    package init() {}
}

/// Turns a manifest into a plan, after every rule has had its say.
package struct PlanBuilder: Sendable {
    /// A manifest that was checked, whatever of it will be run.
    package struct Checked: Sendable {
        /// The manifest with the environment laid over it.
        package var manifest: Manifest
        /// What was read from its data files, by name.
        package var data: JSONObject
        /// All findings in the order of the text.
        package var diagnostics: [Diagnostic]
    }

    /// Checks a manifest by every rule, and reads its data files. Of one with mistakes in its text, that is checked which
    /// they leave to be told.
    package static func check(
        _ manifest: Manifest,
        environment: String? = nil,
        allowsOutside: Bool = false
    ) -> Checked {
        var diagnostics: [Diagnostic] = []
        var manifest = manifest
        if let name = environment {
            if let environment = manifest.environments[name]?.value {
                let laidOver = manifest.applying(environment)
                manifest = laidOver.manifest
                diagnostics += laidOver.diagnostics
            } else if !manifest.unknown.mayDefine(name, in: .environments) {
                diagnostics.append(.unknown("environment", name, in: manifest, among: manifest.environments.keys))
            }
        }
        let reader = DataReader(folder: FileContents.folder(of: manifest.file.name), allowsOutside: allowsOutside)
        var data = JSONObject()
        for (name, declaration) in manifest.data where !manifest.unknown.isDefined(name, in: .data) {
            let (value, findings) = reader.read(declaration.value)
            diagnostics += findings
            data[name] = value
        }
        let subject = RuleSubject(manifest, data: data, allowsOutside: allowsOutside)
        let found = RuleRunner.findings(of: subject)
        diagnostics += found.always
        if manifest.unknown.isEmpty, !diagnostics.hasErrors { diagnostics += found.ifSound }
        if !manifest.unknown.isEmpty {
            diagnostics.removeAll { $0.primary.map { manifest.unknown.explain($0.span) } ?? false }
        }
        return Checked(manifest: manifest, data: data, diagnostics: diagnostics.sortedByPlace())
    }

    /// All requests that a checked manifest knows, whatever of it would be run: for the mock server.
    package static func requests(of manifest: Manifest) -> [RequestPlan] {
        PlanAssembly(manifest: manifest, inputs: JSONObject()).allRequests
    }

    /// An endpoint by itself, with every level of its cascade; without one where no endpoint has the name.
    ///
    /// - Parameters:
    ///   - name: The endpoint's name.
    ///   - checked: A manifest that was checked and has no errors, with its environment laid over it.
    ///   - manifest: The same manifest without its environment.
    ///   - environment: The environment's name.
    package static func endpoint(
        named name: String,
        in checked: Checked,
        of manifest: Manifest,
        environment: String?
    ) -> (endpoint: EndpointCascade?, diagnostics: [Diagnostic]) {
        guard let endpoint = checked.manifest.endpoints[name] else {
            return (nil, [.unknown("endpoint", name, in: manifest, among: manifest.endpoints.keys)])
        }
        let laidOver = environment.flatMap { manifest.environments[$0]?.value }
        return (EndpointCascade(endpoint, in: checked.manifest, of: manifest, environment: laidOver), [])
    }

    /// The plan of what was asked for.
    ///
    /// - Returns: a plan exactly when there is no error among the findings, those of the manifest's loading included.
    package static func plan(
        _ manifest: Manifest,
        options: PlanOptions
    ) -> (plan: Plan?, diagnostics: [Diagnostic]) {
        let checked = check(manifest, environment: options.environment, allowsOutside: options.allowsOutside)
        let manifest = checked.manifest
        var diagnostics = checked.diagnostics
        guard manifest.unknown.isEmpty, !diagnostics.hasErrors else { return (nil, diagnostics) }
        let inputs = InputResolution(manifest: manifest, options: options)
        let graphs = GraphSelection(manifest: manifest, names: options.graphs)
        diagnostics += inputs.diagnostics + graphs.diagnostics
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }

        let assembly = PlanAssembly(manifest: manifest, inputs: inputs.values)
        let plans = graphs.selected.map(assembly.graph)
        let subgraphs = assembly.subgraphs(of: plans)
        let sessions = assembly.sessions
        let plan = Plan(
            name: manifest.name,
            manifest: manifest.file.name,
            sources: manifest.sources,
            environment: options.environment,
            inputs: inputs.values,
            data: checked.data,
            secrets: assembly.secrets(usedBy: plans + subgraphs.values, sessions),
            concurrency: options.concurrency ?? manifest.defaults.concurrency?.value ?? 64,
            graphs: plans,
            subgraphs: subgraphs,
            sessions: sessions,
            allowsOutside: options.allowsOutside
        )
        return (plan, diagnostics)
    }
}

/// Which graphs are run.
private struct GraphSelection {
    var selected: [(name: String, graph: Graph)] = []
    var diagnostics: [Diagnostic] = []

    init(manifest: Manifest, names: [String]) {
        let known = manifest.graphs.keys
        for name in names {
            if let graph = manifest.graphs[name]?.value {
                selected.append((name, graph))
            } else {
                diagnostics.append(.unknown("graph", name, in: manifest, among: known))
            }
        }
        guard names.isEmpty else { return }
        if let only = manifest.graphs["main"] ?? (manifest.graphs.count == 1 ? manifest.graphs.values.first : nil) {
            selected = [(only.name.value, only.value)]
        } else if known.isEmpty {
            diagnostics.append(
                Diagnostic(
                    "no-graph",
                    "\(manifest.file.name) has no graph to run",
                    at: nil,
                    help: ["Add one under 'graphs'."]
                )
            )
        } else {
            diagnostics.append(
                Diagnostic(
                    "no-graph",
                    "the manifest has several graphs and none is named 'main'",
                    at: nil,
                    help: ["Choose with --graph: \(known.joined(separator: ", "))."]
                )
            )
        }
    }
}

extension Diagnostic {
    /// A name given on the command line that nothing in the manifest has.
    fileprivate static func unknown(
        _ sort: String,
        _ name: String,
        in manifest: Manifest,
        among known: some Collection<String>
    ) -> Diagnostic {
        let help =
            NearestName.of(name, among: known).map { "Did you mean '\($0)'?" }
            ?? "\(manifest.file.name) has: \(known.isEmpty ? "none" : known.joined(separator: ", "))."
        return Diagnostic(
            DiagnosticID(stringLiteral: "unknown-\(sort)"),
            "no \(sort) is named '\(name)'",
            at: nil,
            help: [help]
        )
    }
}
