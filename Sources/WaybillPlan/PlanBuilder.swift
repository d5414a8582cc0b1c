import OrderedCollections
import WaybillContract
package import WaybillDiagnostics
package import WaybillJSON
package import WaybillManifest

/// The options of a plan: what to run, and with which values.
package struct PlanOptions: Sendable {
    /// The graphs to run. If empty, `main` or the only graph runs.
    package var graphs: [String] = []
    /// Values for the manifest's inputs, as strings from the command line.
    package var inputs: [(name: String, text: String)] = []
    /// The names of the inputs of all manifests of a suite, which may have values also if this manifest does not declare
    /// them; `nil` if the manifest is not one of several.
    package var suiteInputs: Set<String>?
    /// Files of values for the manifest's inputs. If several files name the same input, the last one takes precedence.
    package var inputFiles: [InputsFile] = []
    /// The files that the values and the environment variables were read from.
    package var readFiles: [String] = []
    /// Values for the manifest's inputs, from a program. They take precedence over the command line and files.
    package var values = JSONObject()
    /// The values that the manifest's inputs had in the run that is resumed. They take precedence over all others.
    package var earlierInputs = JSONObject()
    /// Whether an input without a value is an error, as it is for a run.
    package var requiresInputs = true
    /// Environment variables, for inputs that name one.
    package var variables: [String: String] = [:]
    /// The variables whose value is not UTF-8, and is therefore not what it was in the environment.
    package var variablesBeyondUTF8: Set<String> = []
    /// The maximum number of concurrent requests, instead of the manifest's.
    package var concurrency: Int?
    /// The steps that the run is limited to.
    package var selection = StepSelection()
    /// The part of the run that this process executes, if several share the run.
    package var part: RunPart?

    /// The default options.
    package init() {}

    /// The names of the inputs that the command line and files give values for.
    package var inputNames: [String] {
        Set(inputs.map(\.name) + inputFiles.flatMap { $0.values.map(\.name) }).sorted()
    }
}

/// Turns a manifest into a plan.
///
/// `check` applies the environment, resolves names and runs every rule. From a manifest without errors, the other
/// functions make the plan of graphs, the plan of one call, or the cascade of one endpoint.
package enum PlanBuilder {
    /// Returns the names of the graphs that run if none is named.
    package static func usualGraphs(of checked: ResolvedManifest, _ selection: StepSelection) -> [String] {
        let graphs = GraphSelection(manifest: checked.manifest, names: [], selection)
        return graphs.selected.map { checked.manifest.graphs.keys[$0] }
    }

    /// Returns the plan of the graphs that the options select.
    ///
    /// - Parameter checked: A manifest without errors.
    /// - Returns: A plan if and only if none of the diagnostics is an error.
    package static func plan(
        _ checked: ResolvedManifest,
        options: PlanOptions
    ) -> (plan: Plan?, diagnostics: [Diagnostic]) {
        let manifest = checked.manifest
        let selection = options.selection
        let graphs = GraphSelection(manifest: manifest, names: options.graphs, selection)
        let inputs = InputResolution(of: graphs.selected, in: manifest, options: options)
        var diagnostics = graphs.diagnostics + inputs.diagnostics
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }

        let assembly = PlanAssembly(
            checked: checked,
            inputs: inputs.values(of: manifest.inputs),
            separatesCalls: !selection.isEverything,
            variables: options.variables
        )
        let whole = graphs.selected.map { position in
            var graph = assembly.graph(at: position)
            graph.ownInputs = inputs.values(of: graph)
            return graph
        }
        let given = inputs.values(of: manifest.inputs)
        diagnostics += whole.compactMap { graph in
            var own = given
            for (name, value) in graph.ownInputs { own[name] = value }
            return graph.checks.violation(by: own).map { $0.diagnostic(of: "graph '\(graph.name)'", at: nil, []) }
        }
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }
        var subgraphs = assembly.subgraphs(of: whole)
        let all = subgraphs
        let plans = whole.compactMap { selection.limited($0, &subgraphs) }
        if let error = selection.unmatched(in: whole, all, selected: plans, manifest) {
            return (nil, diagnostics + [error])
        }
        if !selection.isEverything { subgraphs = plans.called { subgraphs[$0.path] } }
        let sessions = assembly.sessions
        let concurrency = options.concurrency
        var plan = assembly.plan(of: plans, subgraphs: subgraphs, sessions: sessions, concurrency: concurrency)
        plan.inputs = inputs.values
        plan.contracts = checked.contracts.map { ($0.key, $0.value) }
        plan.selection = selection
        let errors = options.part.map { plan.limit(to: $0) } ?? []
        var warnings = selection.excludedButNeeded(in: plans, subgraphs)
        // One of several manifests need not have all tags.
        if !selection.toleratesUnknownNames { warnings += selection.unmatchedTags(among: manifest.tags) }
        return (errors.isEmpty ? plan : nil, diagnostics + warnings + errors)
    }

    /// Returns all requests of a manifest without errors, for the mock server. They include those of graphs that are
    /// not run.
    package static func requests(of checked: ResolvedManifest) -> [RequestPlan] {
        PlanAssembly(checked: checked, inputs: JSONObject()).allRequests
    }

    /// Returns the requests of a manifest whose tokens are stored, and a plan without steps for logging in.
    package static func logins(
        of checked: ResolvedManifest,
        options: PlanOptions
    ) -> (plan: Plan, requests: [RequestPlan], diagnostics: [Diagnostic]) {
        var options = options
        options.requiresInputs = false
        let inputs = InputResolution(of: [], in: checked.manifest, options: options)
        let assembly = PlanAssembly(checked: checked, inputs: inputs.values(of: checked.manifest.inputs))
        let requests = assembly.allRequests.filter {
            ($0.settings.auth?.value.method as? OAuth2Authentication)?.store != nil
        }
        let body = GroupPlan(order: .chain, steps: [], onFailure: .stop)
        let graph = GraphPlan(name: "login", path: "login", inputs: [:], body: body, outputs: [], tags: [])
        var plan = assembly.plan(of: [graph], sessions: [:], concurrency: nil)
        plan.secrets = assembly.secrets { visitor in
            for request in requests { request.settings.auth?.value.visitUses(visitor) }
        }
        return (plan, requests, inputs.diagnostics)
    }

    /// Returns the files with constant paths that the requests and steps of a manifest name.
    package static func namedFiles(of checked: ResolvedManifest) -> [NamedFile] {
        let ofSteps = checked.graphs.flatMap(\.all).map(\.step.settings)
        return (requests(of: checked).map(\.settings) + ofSteps).flatMap(\.namedFiles)
    }

    /// Returns an endpoint by itself, with every level of its cascade; `nil` if no endpoint has the name.
    package static func endpoint(
        named name: String,
        in checked: ResolvedManifest
    ) -> (endpoint: EndpointCascade?, diagnostics: [Diagnostic]) {
        guard let endpoint = checked.manifest.endpoints[name], let request = checked.requests.ofEndpoint(name) else {
            let operations = checked.contracts.flatMap { service, contract in
                contract.document.names.map { "\(service).\($0)" }
            }
            let known =
                Array(checked.manifest.endpoints.keys) + operations.filter { checked.manifest.endpoints[$0] == nil }
            return (nil, [.unknown("endpoint", name, in: checked.manifest, among: known)])
        }
        return (EndpointCascade(endpoint, request, in: checked), [])
    }
}

/// The graphs that are run.
private struct GraphSelection {
    /// The indices of the selected graphs among the manifest's graphs.
    var selected: [Int] = []
    var diagnostics: [Diagnostic] = []

    /// Selects the graphs with some names. Without names, selects `main` or the only graph, and the graphs that a
    /// selection of steps names by their tags or in paths.
    init(manifest: Manifest, names: [String], _ selection: StepSelection) {
        let known = manifest.graphs.keys
        for name in names {
            if let position = manifest.graphs.index(forKey: name) {
                if !selected.contains(position) { selected.append(position) }
            } else {
                diagnostics.append(.unknown("graph", name, in: manifest, among: known))
            }
        }
        guard names.isEmpty else { return }
        let called = Set(
            manifest.graphs.values.flatMap { graph in
                graph.value.allSteps.compactMap {
                    if case .graph(let call) = $0.action { call.name.value } else { nil }
                }
            }
        )
        let named = manifest.graphs.keys.indices.filter { position in
            let (name, graph) = (manifest.graphs.keys[position], manifest.graphs.values[position].value)
            // A graph that another one runs is selected with the step that runs it.
            return graph.tags.contains { selection.tags.contains($0.value) } && !called.contains(name)
                || selection.steps.contains { $0.hasPrefix("\(name).") }
        }
        if let position = manifest.graphs.index(forKey: "main") ?? (manifest.graphs.count == 1 ? 0 : nil) {
            selected = Set(named + [position]).sorted()
        } else if !named.isEmpty {
            selected = named
        } else if known.isEmpty {
            diagnostics.report(
                "no-graph",
                "\(manifest.file.name) has no graph to run",
                at: nil,
                help: ["Add one under 'graphs'."]
            )
        } else {
            diagnostics.report(
                "no-graph",
                "the manifest has several graphs and none is named 'main'",
                at: nil,
                help: ["Choose with --graph: \(known.joined(separator: ", "))."],
                programHelp: ["Choose with 'graphs': \(known.joined(separator: ", "))."]
            )
        }
    }
}

extension Diagnostic {
    /// Returns the error for a name on the command line that the manifest does not define.
    static func unknown(
        _ kind: String,
        _ name: String,
        in manifest: Manifest,
        among known: some Collection<String>
    ) -> Diagnostic {
        let help =
            NearestName.of(name, among: known).map { "Did you mean '\($0)'?" }
            ?? "Defined in \(manifest.file.name): \(known.isEmpty ? "none" : known.joined(separator: ", "))."
        return Diagnostic(
            DiagnosticID(stringLiteral: "unknown-\(kind)"),
            "no \(kind) is named '\(name)'",
            at: nil,
            help: [help]
        )
    }
}

/// An endpoint by itself with every level of its cascade, to show where each setting comes from. It does not include
/// what the steps that call the endpoint add.
package struct EndpointCascade: Sendable {
    package let endpoint: Definition<Endpoint>
    /// The request with all its settings merged.
    package let request: RequestPlan
    /// Every setting at any level and what became of it; only the request's own for a standalone request.
    package let settings: [TracedSetting]
    /// The settings of the defaults and the service that do not apply because the request is standalone.
    package let passedOver: [Setting<any SettingDefinition>]

    init(_ endpoint: Definition<Endpoint>, _ site: RequestSite, in checked: ResolvedManifest) {
        let service = site.service
        let (original, environment) = (checked.written, checked.environmentChanges)
        var far: [(level: Level, settings: Settings)] = [(.defaults, original.defaults)]
        if let environment { far.append((.defaults, environment.defaults)) }
        if let name = service.name {
            far.append((.service(name), original.services[name]?.value.settings ?? Settings()))
            for (changed, changes) in environment?.services ?? [] where changed.value.hasSameCodePoints(as: name) {
                far.append((.service(name), changes.settings))
            }
        }
        if let name = service.name { far.append((.service(name), service.credentials)) }
        self.endpoint = endpoint
        request = PlanAssembly(checked: checked, inputs: JSONObject()).request(site)
        let own = (level: Level.endpoint(endpoint.name.value), settings: site.definition.settings)
        settings = Cascade.trace((service.standsAlone ? [] : far) + [own])
        passedOver = service.standsAlone ? far.flatMap(\.settings.entries) : []
    }
}
