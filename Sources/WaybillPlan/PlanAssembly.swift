import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
package import WaybillManifest

/// Assembles plans from a manifest that has passed every rule.
struct PlanAssembly {
    let checked: ResolvedManifest
    let inputs: JSONObject
    /// Whether each step that runs a graph has a plan of that graph of its own, even without settings.
    var separatesCalls = false
    /// Environment variables, for inputs of endpoints and graphs that name one.
    var variables: [String: String] = [:]
    private var manifest: Manifest { checked.manifest }

    /// Returns the plan of some graphs and of what they need.
    func plan(
        of graphs: [GraphPlan],
        subgraphs: [String: GraphPlan] = [:],
        sessions: [String: SessionPlan],
        concurrency: Int?
    ) -> Plan {
        Plan(
            name: manifest.name,
            hasName: manifest.hasName,
            manifest: manifest.file.name,
            documents: manifest.documents,
            readFiles: checked.readFiles,
            filesOfExpressions: checked.filesOfExpressions,
            schemaFiles: manifest.schemaFiles,
            environment: checked.environment,
            inputs: inputs,
            data: checked.data,
            dataFiles: manifest.data.reduce(into: [:]) { $0[$1.key] = $1.value.value.file },
            secrets: secrets(usedBy: graphs + subgraphs.values, sessions),
            declaredSecrets: manifest.secrets.map { name, definition in
                SecretPlan(name: name, source: definition.value)
            },
            namespaces: checked.namespaces,
            appliedFilters: Dictionary(uniqueKeysWithValues: checked.appliedFilters.map { ($0, stages(ofFilter: $0)) }),
            concurrency: min(
                concurrency ?? manifest.defaults.concurrency?.value ?? ConcurrencySetting.default,
                ConcurrencySetting.maximum
            ),
            graphs: graphs,
            subgraphs: subgraphs,
            sessions: sessions,
            allowsOutside: checked.allowsOutside
        )
    }

    /// Returns the plan of the graph at an index in the manifest.
    ///
    /// - Parameters:
    ///   - path: The start of the paths of its steps, if that is not its name.
    ///   - callers: The steps that run it, from the outermost in, if they have settings.
    func graph(at position: Int, path: String? = nil, calledBy callers: [StepSite] = []) -> GraphPlan {
        let site = checked.graphs[position]
        let (name, graph) = (site.definition.name.value, site.definition.value)
        let context = StepContext(
            path: path ?? name,
            callers: callers,
            usedFields: graph.usedFields,
            isTolerated: graph.onFailure == .continue
        )
        let limit = graph.settings.concurrency
        let body = group(graph.body.order, site.body, onFailure: graph.onFailure, concurrency: limit, in: context)
        let finally = graph.finally.map { group in
            var last = context
            last.path += ".finally"
            // A failure in 'finally' fails the graph, even with 'onFailure: continue'.
            last.isTolerated = false
            return self.group(group.order, site.finally, onFailure: .collect, concurrency: nil, in: last)
        }
        return GraphPlan(
            name: name,
            path: context.path,
            inputs: graph.inputs,
            checks: graph.checks,
            body: body,
            finally: finally,
            deadline: graph.deadline,
            outputs: graph.outputs,
            state: graph.state,
            tags: graph.tags.map(\.value)
        )
    }

    /// The graphs that the steps of some graphs run, directly or indirectly.
    func subgraphs(of graphs: [GraphPlan]) -> [String: GraphPlan] {
        graphs.called { call in
            manifest.graphs.index(forKey: call.name.value).map {
                graph(at: $0, path: call.path, calledBy: call.callers)
            }
        }
    }

    /// The sessions of the services, by the name of the service.
    var sessions: [String: SessionPlan] {
        var sessions: [String: SessionPlan] = [:]
        for (name, service) in manifest.services {
            guard let session = service.value.session,
                let endpoint = manifest.endpoints[session.call.name.value]?.value,
                let site = checked.requests.ofEndpoint(session.call.name.value)
            else { continue }
            let request = request(
                site,
                with: arguments(of: endpoint.inputs, given: session.call, at: session.span)
            )
            sessions[name] = SessionPlan(request: request, renewOn: session.renewOn)
        }
        return sessions
    }

    /// The requests of all endpoints, each by itself, and of all steps that contain a request or call an endpoint with
    /// settings or a service of their own.
    var allRequests: [RequestPlan] { checked.requests.all.map { request($0, sentBy: $0.step) } }

    /// The secrets that a plan's parts use.
    func secrets(usedBy graphs: [GraphPlan], _ sessions: [String: SessionPlan]) -> [SecretPlan] {
        secrets { visitor in
            for graph in graphs { graph.visitUses(visitor) }
            for session in sessions.values { session.request.visitUses(visitor) }
        }
    }

    /// The secrets that the visited expressions use.
    func secrets(_ visit: (UseVisitor) -> Void) -> [SecretPlan] {
        var names: Set<String> = []
        visit(
            UseVisitor { use in
                for reference in use.text.references where reference.name == "secrets" {
                    names.formUnion(reference.segments.first?.name.map { [$0] } ?? Array(manifest.secrets.keys))
                }
            }
        )
        return manifest.secrets.filter { names.contains($0.key) }.map { name, definition in
            SecretPlan(name: name, source: definition.value)
        }
    }

    /// What a step inherits from the enclosing steps.
    private struct StepContext {
        var path: String
        /// The steps that run the graph; see `GraphCall`.
        var callers: [StepSite]
        /// The fields of steps that the expressions of the graph use.
        var usedFields: [String: StepFields]
        /// Whether one of them tolerates failures.
        var isTolerated: Bool
    }

    private func group(
        _ order: Group.Order,
        _ sites: [StepSite],
        onFailure: FailureMode,
        concurrency: Setting<Int>?,
        in context: StepContext
    ) -> GroupPlan {
        let steps = sites.enumerated().map { index, site in step(site, number: index + 1, in: context) }
        return GroupPlan(order: order, steps: steps, onFailure: onFailure, concurrency: concurrency?.value)
    }

    private func step(_ site: StepSite, number: Int, in context: StepContext) -> StepPlan {
        let step = site.step
        var inner = context
        inner.path += ".\(step.effectiveID ?? String(number))"
        inner.isTolerated = context.isTolerated || step.onFailure == .continue
        let work = work(of: site, in: inner)
        var tags = step.settings.tags.map(\.value.value)
        if case .request(let request) = work {
            for tag in request.settings.tags.map(\.value.value) where !tags.contains(tag) {
                tags.append(tag)
            }
        }
        return StepPlan(
            id: step.effectiveID,
            name: step.name ?? step.effectiveID ?? step.summary,
            path: inner.path,
            work: work,
            flow: step.flow,
            onFailure: step.onFailure,
            isToleratedOutside: context.isTolerated,
            keeps: (step.effectiveID.flatMap { context.usedFields[$0] } ?? []).subtracting(site.notKept),
            span: step.span,
            form: step.form,
            tags: tags
        )
    }

    private func work(of site: StepSite, in context: StepContext) -> StepPlan.Work {
        let step = site.step
        switch step.action {
        case .call(let call):
            guard let endpoint = site.endpoint, let sent = checked.requests.of(site, calledBy: context.callers) else {
                preconditionFailure("the rules let a call of an unknown endpoint pass")
            }
            let arguments = arguments(of: endpoint.inputs, given: call, at: step.span)
            return .request(request(sent, with: arguments, sentBy: site))
        case .request:
            guard let sent = checked.requests.of(site, calledBy: context.callers) else {
                preconditionFailure("a step that has a request sends one")
            }
            return .request(request(sent, sentBy: site))
        case .group(let body):
            let limit = step.settings.concurrency
            return .group(
                group(body.order, site.steps, onFailure: step.groupOnFailure, concurrency: limit, in: context)
            )
        case .graph(let call):
            let taken = manifest.graphs[call.name.value]?.value.inputs ?? [:]
            let callers = separatesCalls ? context.callers + [site] : site.callers(inside: context.callers)
            return .graph(
                GraphCall(
                    name: call.name,
                    path: callers == nil ? call.name.value : context.path,
                    arguments: arguments(of: taken, given: call, at: step.span),
                    callers: callers ?? []
                )
            )
        case .values(let values):
            let expectations = step.settings.without { $0.value.key != ExpectationSetting.key }
            return .values(ValuesPlan(outputs: values, expectations: expectations))
        case .end(let condition): return .end(condition)
        }
    }

    /// Returns the plan of a request.
    ///
    /// - Parameters:
    ///   - arguments: The values of the endpoint's inputs.
    ///   - step: The step that sends it, which may add variables and outputs.
    ///   - graph: The graph that it is part of, if that is not the step's.
    ///   - paginate: How the next page is found, if a step does not decide that.
    func request(
        _ site: RequestSite,
        with arguments: [ArgumentPlan] = [],
        sentBy step: StepSite? = nil,
        graph: String = "",
        paginate: Pagination? = nil
    ) -> RequestPlan {
        let filters = site.merged.filters.flatMap { stages(of: $0) }
        let inherited = step?.step.flow?.paginate == nil ? step?.paginate ?? paginate : nil
        return RequestPlan(
            site,
            arguments: arguments,
            filters: filters,
            sentBy: step,
            graph: graph,
            paginate: inherited
        )
    }

    private func arguments(
        of inputs: Definitions<InputDeclaration>,
        given call: Step.Call,
        at span: SourceSpan
    ) -> [ArgumentPlan] {
        let given = Dictionary(call.arguments.map { (CodePoints($0.name.value), $0) }, uniquingKeysWith: { $1 })
        return inputs.map { name, definition in
            let input = definition.value
            if let member = given[CodePoints(name)] {
                let span = member.value.span
                return ArgumentPlan(name: name, source: .template(member.value), schema: input.schema, span: span)
            }
            if input.isOptional {
                let source = input.defaultValue.map(ArgumentPlan.Source.constant) ?? .omitted
                return ArgumentPlan(name: name, source: source, schema: input.schema, span: span)
            }
            let given = input.environmentVariable.flatMap { variables[$0] }
            let value =
                self.inputs[name] ?? given.map { InputResolution.value(of: $0, for: input) }
                ?? input.defaultValue ?? .null
            return ArgumentPlan(name: name, source: .constant(value), schema: input.schema, span: span)
        }
    }

    private func stages(ofFilter name: String) -> [Setting<PlannedStage>] {
        (manifest.filters[name]?.value ?? []).flatMap { self.stages(of: $0) }
    }

    private func stages(of entry: Setting<FilterEntry>) -> [Setting<PlannedStage>] {
        switch entry.value {
        case .stage(let stage): return [entry.map { _ in PlannedStage(stage: stage, onEveryStatus: false) }]
        case .named(let name, let onEveryStatus):
            return stages(ofFilter: name.value).map {
                $0.map { PlannedStage(stage: $0.stage, onEveryStatus: onEveryStatus || $0.onEveryStatus) }
            }
        }
    }
}

extension [GraphPlan] {
    /// Returns the graphs that steps of these graphs run, directly or indirectly, by their paths.
    func called(_ graph: (GraphCall) -> GraphPlan?) -> [String: GraphPlan] {
        var called: [String: GraphPlan] = [:]
        var waiting = flatMap(\.calls)
        while let call = waiting.popLast() {
            guard called[call.path] == nil, let graph = graph(call) else { continue }
            called[call.path] = graph
            waiting += graph.calls
        }
        return called
    }
}

extension GraphPlan {
    /// The calls of other graphs by its steps.
    fileprivate var calls: [GraphCall] {
        allSteps.compactMap { if case .graph(let call) = $0.work { call } else { nil } }
    }

    fileprivate func visitUses(_ visitor: UseVisitor) {
        for step in allSteps { step.visitOwnUses(visitor) }
        for check in checks { check.visitUses(visitor) }
        for output in outputs { output.visitUses(visitor, .end, .result) }
        for value in state { value.visitUses(visitor) }
    }
}

extension StepPlan {
    /// Visits every expression and template that belongs to the step itself, not to the steps inside it.
    package func visitOwnUses(_ visitor: UseVisitor) {
        flow?.visitUses(outside: visitor, inside: visitor)
        switch work {
        case .request(let request): request.visitUses(visitor)
        case .group: break
        case .graph(let call): call.visitUses(visitor)
        case .values(let values): values.visitUses(visitor)
        case .end(let condition): visitor.expression(condition, .request, .control)
        }
    }
}

extension ArgumentPlan {
    func visitUses(_ visitor: UseVisitor) {
        if case .template(let value) = source { visitor.value(value, .request, .argument) }
    }
}
