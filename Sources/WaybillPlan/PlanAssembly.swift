import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
package import WaybillManifest

/// Puts plans together from a manifest that every rule has accepted.
struct PlanAssembly {
    let manifest: Manifest
    let inputs: JSONObject
    private let far: FarLevels

    init(manifest: Manifest, inputs: JSONObject) {
        self.manifest = manifest
        self.inputs = inputs
        far = FarLevels(manifest)
    }

    /// The plan of a graph.
    func graph(_ name: String, _ graph: Graph) -> GraphPlan {
        let context = StepContext(
            graph: name,
            path: name,
            settings: [graph.settings],
            uses: StepUses(of: graph),
            isTolerated: graph.onFailure == .continue
        )
        let body = group(graph.body, onFailure: graph.onFailure, concurrency: graph.settings.concurrency, in: context)
        let finally = graph.finally.map { group in
            var last = context
            last.path += ".finally"
            // Its failures fail the graph, also with 'onFailure: continue'.
            last.isTolerated = false
            return self.group(group, onFailure: .collect, concurrency: nil, in: last)
        }
        return GraphPlan(
            name: name,
            inputs: graph.inputs,
            body: body,
            finally: finally,
            deadline: graph.deadline,
            outputs: graph.outputs,
            tags: graph.tags.map(\.value)
        )
    }

    /// The graphs that some graphs run in steps, directly or by way of others.
    func subgraphs(of graphs: [GraphPlan]) -> [String: GraphPlan] {
        var subgraphs: [String: GraphPlan] = [:]
        var waiting = graphs.flatMap(\.subgraphNames)
        while let name = waiting.popLast() {
            guard subgraphs[name] == nil, let definition = manifest.graphs[name]?.value else { continue }
            let plan = graph(name, definition)
            subgraphs[name] = plan
            waiting += plan.subgraphNames
        }
        return subgraphs
    }

    /// What is run once for the requests that need it.
    var sessions: [String: SessionPlan] {
        var sessions: [String: SessionPlan] = [:]
        for (name, service) in manifest.services {
            guard let session = service.value.session, let endpoint = manifest.endpoints[session.call.name.value]?.value
            else { continue }
            let request = request(
                endpoint.request,
                of: session.call.name.value,
                with: arguments(of: endpoint.inputs, given: session.call, at: session.span)
            )
            sessions[name] = SessionPlan(request: request, renewOn: session.renewOn)
        }
        return sessions
    }

    /// The requests of all endpoints, each by itself, and of all steps that have one in place or call an endpoint with
    /// settings or a service of their own.
    var allRequests: [RequestPlan] {
        var requests = manifest.endpoints.map { name, endpoint in
            request(endpoint.value.request, of: name)
        }
        manifest.forEachStep { site in
            var (definition, endpoint): (RequestDefinition?, String?) = (nil, nil)
            switch site.step.action {
            case .request(let inPlace): definition = inPlace
            case .call(let call) where site.hasSettings || site.step.service != nil:
                (definition, endpoint) = (site.endpoint?.request, call.name.value)
            case .call, .group, .graph, .values, .end: break
            }
            guard let definition else { return }
            requests.append(
                request(definition, of: endpoint, below: site.settings, graph: site.graph.name.value, step: site.step)
            )
        }
        return requests
    }

    /// The secrets that a plan's parts use.
    func secrets(usedBy graphs: [GraphPlan], _ sessions: [String: SessionPlan]) -> [SecretPlan] {
        var names: Set<String> = []
        let visitor = UseVisitor { use in
            for reference in use.text.references where reference.name == "secrets" {
                names.formUnion(reference.segments.first?.name.map { [$0] } ?? Array(manifest.secrets.keys))
            }
        }
        for graph in graphs { graph.visitUses(visitor) }
        for session in sessions.values { session.request.visitUses(visitor) }
        return manifest.secrets.filter { names.contains($0.key) }.map { name, definition in
            SecretPlan(name: name, variable: definition.value.environmentVariable)
        }
    }

    /// What a step inherits from the steps around it.
    private struct StepContext {
        var graph: String
        var path: String
        /// The settings of the graph and of the enclosing steps, outer to inner.
        var settings: [Settings]
        var uses: StepUses
        /// Whether one of them tolerates failures.
        var isTolerated: Bool
    }

    private func group(
        _ group: Group,
        onFailure: FailureMode,
        concurrency: Setting<Int>?,
        in context: StepContext
    ) -> GroupPlan {
        let steps = group.steps.enumerated().map { index, step in self.step(step, number: index + 1, in: context) }
        return GroupPlan(order: group.order, steps: steps, onFailure: onFailure, concurrency: concurrency?.value)
    }

    private func step(_ step: Step, number: Int, in context: StepContext) -> StepPlan {
        var inner = context
        inner.path += ".\(step.effectiveID ?? String(number))"
        inner.isTolerated = context.isTolerated || step.onFailure == .continue
        inner.settings.append(step.settings)
        return StepPlan(
            id: step.effectiveID,
            name: step.name ?? step.effectiveID ?? step.summary,
            path: inner.path,
            work: work(of: step, in: inner),
            flow: step.flow,
            onFailure: step.onFailure,
            isTolerated: inner.isTolerated,
            keeps: (step.effectiveID.flatMap { context.uses.fields[$0] } ?? []).subtracting(step.notKept),
            span: step.span,
            form: step.form
        )
    }

    private func work(of step: Step, in context: StepContext) -> StepPlan.Work {
        switch step.action {
        case .call(let call):
            guard let endpoint = manifest.endpoints[call.name.value]?.value else {
                preconditionFailure("the rules let a call of an unknown endpoint pass")
            }
            let request = request(
                endpoint.request,
                of: call.name.value,
                with: arguments(of: endpoint.inputs, given: call, at: step.span),
                below: context.settings,
                graph: context.graph,
                step: step
            )
            return .request(request)
        case .request(let definition):
            return .request(request(definition, below: context.settings, graph: context.graph, step: step))
        case .group(let body):
            let limit = step.settings.concurrency
            return .group(group(body, onFailure: step.groupOnFailure, concurrency: limit, in: context))
        case .graph(let call):
            let taken = manifest.graphs[call.name.value]?.value.inputs ?? [:]
            return .graph(name: call.name, arguments: arguments(of: taken, given: call, at: step.span))
        case .values(let values): return .values(values)
        case .end(let condition): return .end(condition)
        }
    }

    /// The request of a definition.
    ///
    /// - Parameters:
    ///   - endpoint: The name of the endpoint whose request it is.
    ///   - arguments: The values of its inputs.
    ///   - settings: Those of the graph and the steps around it.
    ///   - graph: The graph that it is part of.
    ///   - step: The step that sends it, which may add variables and outputs.
    func request(
        _ definition: RequestDefinition,
        of endpoint: String? = nil,
        with arguments: [ArgumentPlan] = [],
        below settings: [Settings] = [],
        graph: String = "",
        step: Step? = nil
    ) -> RequestPlan {
        let service = RequestService(of: definition, from: step, settings: settings, in: far)
        let layers = RequestLayers(definition, service: service, steps: settings, in: far)
        let merged = Cascade.merge(layers.settings)
        return RequestPlan(
            endpoint: endpoint,
            service: service.name,
            serviceOrigin: ServiceOrigin(service, in: far),
            arguments: arguments,
            method: definition.method,
            address: definition.address,
            settings: merged.withoutRemovals,
            filters: merged.filters.flatMap { stages(of: $0) },
            vars: definition.vars + (step?.vars ?? []),
            outputs: definition.outputs + (step?.outputs ?? []),
            returns: definition.returns,
            download: definition.download,
            mock: definition.mock,
            graph: graph
        )
    }

    private func arguments(
        of inputs: Definitions<InputDeclaration>,
        given call: Step.Call,
        at span: SourceSpan
    ) -> [ArgumentPlan] {
        inputs.map { name, definition in
            let input = definition.value
            if let member = call.arguments.last(where: { $0.name.value == name }) {
                let span = member.value.span
                return ArgumentPlan(name: name, source: .template(member.value), schema: input.schema, span: span)
            }
            let value = self.inputs[name] ?? input.defaultValue ?? .null
            return ArgumentPlan(name: name, source: .constant(value), schema: input.schema, span: span)
        }
    }

    private func stages(of entry: Setting<FilterEntry>) -> [Setting<PlannedStage>] {
        switch entry.value {
        case .stage(let stage): return [entry.map { _ in PlannedStage(stage: stage, onEveryStatus: false) }]
        case .named(let name, let onEveryStatus):
            let stages = (manifest.filters[name.value]?.value ?? []).flatMap { self.stages(of: $0) }
            return stages.map {
                $0.map { PlannedStage(stage: $0.stage, onEveryStatus: onEveryStatus || $0.onEveryStatus) }
            }
        }
    }
}

extension GraphPlan {
    /// The names of the graphs that its steps run.
    fileprivate var subgraphNames: [String] {
        (body.steps + (finally?.steps ?? [])).flatMap(\.subgraphNames)
    }

    fileprivate func visitUses(_ visitor: UseVisitor) {
        for step in body.steps + (finally?.steps ?? []) { step.visitUses(visitor) }
        for output in outputs { output.visitUses(visitor, .end, .result) }
    }
}

extension StepPlan {
    /// Visits every use of the expression language that is written with the step itself, not with the steps inside it.
    package func visitOwnUses(_ visitor: UseVisitor) {
        flow?.visitUses(outside: visitor, inside: visitor)
        switch work {
        case .request(let request): request.visitUses(visitor)
        case .group: break
        case .graph(_, let arguments): for argument in arguments { argument.visitUses(visitor) }
        case .values(let values): for value in values { value.visitUses(visitor, .request) }
        case .end(let condition): visitor.expression(condition, .request, .control)
        }
    }

    fileprivate var subgraphNames: [String] {
        switch work {
        case .graph(let name, _): [name.value]
        case .group(let group): group.steps.flatMap(\.subgraphNames)
        case .request, .values, .end: []
        }
    }

    fileprivate func visitUses(_ visitor: UseVisitor) {
        visitOwnUses(visitor)
        if case .group(let group) = work { for step in group.steps { step.visitUses(visitor) } }
    }
}

extension ArgumentPlan {
    func visitUses(_ visitor: UseVisitor) {
        if case .template(let value) = source { visitor.value(value, .request, .argument) }
    }
}
