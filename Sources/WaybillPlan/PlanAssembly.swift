import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// Puts plans together from a manifest that every rule has accepted.
struct PlanAssembly {
    let manifest: Manifest
    let inputs: JSONObject

    /// The plan of a graph.
    func graph(_ name: String, _ graph: Graph) -> GraphPlan {
        let uses = StepUses(of: graph)
        let context = StepContext(
            graph: name,
            path: name,
            settings: [graph.settings],
            uses: uses,
            isTolerated: graph.onFailure == .continue
        )
        let body = group(graph.body, onFailure: graph.onFailure, concurrency: graph.settings.concurrency, in: context)
        return GraphPlan(name: name, body: body, outputs: graph.outputs)
    }

    /// The requests of all endpoints, each by itself, and of all steps that have one in place.
    var allRequests: [RequestPlan] {
        var requests = manifest.endpoints.map { name, endpoint in
            var plan = request(endpoint.value.request, outputs: [], settings: [], graph: "")
            plan.endpoint = name
            return plan
        }
        manifest.forEachStep { graph, around, step in
            guard case .request(let definition) = step.action else { return }
            let settings = [graph.value.settings] + around.map(\.settings) + [step.settings]
            requests.append(request(definition, outputs: step.outputs, settings: settings, graph: graph.name.value))
        }
        return requests
    }

    /// The secrets that graphs use.
    func secrets(usedBy graphs: [GraphPlan]) -> [SecretPlan] {
        var names: Set<String> = []
        for (_, request) in graphs.flatMap({ $0.body.requests }) {
            for use in request.uses {
                for reference in use.holder.references where reference.name == "secrets" {
                    names.formUnion(reference.segments.first?.name.map { [$0] } ?? Array(manifest.secrets.keys))
                }
            }
        }
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
        let around = context.settings + [step.settings]
        let work: StepPlan.Work
        switch step.action {
        case .call(let name, let arguments, _):
            guard let endpoint = manifest.endpoints[name.value]?.value else {
                preconditionFailure("the rules let a call of an unknown endpoint pass")
            }
            var request = request(endpoint.request, outputs: step.outputs, settings: around, graph: context.graph)
            request.endpoint = name.value
            request.arguments = endpoint.inputs.map { name, input in
                argument(name, input.value, given: arguments, at: step)
            }
            work = .request(request)
        case .request(let definition):
            work = .request(request(definition, outputs: step.outputs, settings: around, graph: context.graph))
        case .group(let body):
            inner.settings.append(step.settings)
            let limit = step.settings.concurrency
            work = .group(group(body, onFailure: step.onFailure, concurrency: limit, in: inner))
        }
        return StepPlan(
            id: step.effectiveID,
            name: step.name ?? step.effectiveID ?? step.summary,
            path: inner.path,
            work: work,
            onFailure: step.onFailure,
            isTolerated: inner.isTolerated,
            keeps: step.effectiveID.flatMap { context.uses.fields[$0] } ?? [],
            span: step.span
        )
    }

    private func request(
        _ definition: RequestDefinition,
        outputs: [OutputDefinition],
        settings: [Settings],
        graph: String
    ) -> RequestPlan {
        let service = RequestService(of: definition, settings: settings, in: manifest)
        let layers = RequestLayers(definition, service: service, steps: settings, in: manifest)
        let merged = Cascade.merge(layers.settings)
        return RequestPlan(
            endpoint: nil,
            service: service.name,
            arguments: [],
            method: definition.method?.value ?? "GET",
            address: definition.address,
            settings: merged.withoutRemovedNames,
            filters: merged.filters.flatMap { stages(of: $0) },
            outputs: definition.outputs + outputs,
            mock: definition.mock,
            graph: graph
        )
    }

    private func argument(
        _ name: String,
        _ input: InputDeclaration,
        given: [ValueTemplate.Member],
        at step: Step
    ) -> ArgumentPlan {
        if let member = given.last(where: { $0.name.value == name }) {
            let span = member.value.span
            return ArgumentPlan(name: name, source: .template(member.value), schema: input.schema, span: span)
        }
        let value = inputs[name] ?? input.defaultValue ?? .null
        return ArgumentPlan(name: name, source: .constant(value), schema: input.schema, span: step.span)
    }

    private func stages(of entry: Setting<FilterEntry>) -> [Setting<FilterStage>] {
        switch entry.value {
        case .stage(let stage): [entry.map { _ in stage }]
        case .named(let name): (manifest.filters[name.value]?.value ?? []).flatMap { stages(of: $0) }
        }
    }
}

extension RequestPlan {
    /// Every use of the expression language in the request.
    var uses: [ExpressionUse] {
        var uses = settings.uses + filters.flatMap { FilterEntry.stage($0.value).uses }
        if let template = address.text.value.template { uses.append(ExpressionUse(template, .request)) }
        for argument in arguments {
            if case .template(let value) = argument.source {
                uses += value.templates.map { ExpressionUse($0, .request) }
            }
        }
        uses += outputs.map { ExpressionUse($0.value, .answer) }
        return uses
    }
}

extension Settings {
    /// The settings without the names that `null` took away.
    fileprivate var withoutRemovedNames: Settings {
        var settings = self
        settings.headers.removeAll { $0.values.value == nil }
        settings.query.removeAll { $0.values.value == nil }
        settings.params.removeAll { $0.value.value == nil }
        settings.expect.headers.removeAll { $0.glob.value == nil }
        return settings
    }
}

extension Step {
    /// The id that was given, or the last part of the endpoint's name.
    package var effectiveID: String? {
        if let id { return id.value }
        guard case .call(let endpoint, _, _) = action else { return nil }
        return endpoint.value.split(separator: ".").last.map(String.init)
    }

    /// What the step does, in a few words: `GET /health`.
    var summary: String {
        switch action {
        case .call(let endpoint, _, _): return endpoint.value
        case .group(let group): return group.order.rawValue
        case .request(let definition):
            let text = definition.address.text.value
            let address = text.constantText ?? text.template?.template.text ?? ""
            return "\(definition.method?.value ?? "GET") \(address)"
        }
    }
}
