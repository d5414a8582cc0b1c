import OrderedCollections
import WaybillDiagnostics
package import WaybillManifest

/// A step and its location in the manifest.
final class StepSite: Sendable {
    /// The callee of a step.
    enum Callee: Sendable {
        /// An endpoint, with its index in the manifest.
        case endpoint(Endpoint, position: Int)
        case graph(Graph)
        /// A callee that does not exist, or is unknown because of an error.
        case unknown
    }

    let graph: Definition<Graph>
    /// The enclosing steps, from the outermost in.
    let around: [Step]
    let step: Step
    /// The callee; `nil` if the step is not a call.
    let callee: Callee?
    /// Whether it is part of `finally`, whose steps always run at the end.
    let isFinal: Bool
    /// Its number among all steps of the manifest. An enclosing step comes before those inside it.
    let number: Int
    /// The steps inside it.
    let steps: [StepSite]

    /// Resolves the callee of a step and of the steps inside it.
    ///
    /// - Parameter count: The number of steps before it, which is increased by those here.
    fileprivate init(
        _ step: Step,
        of graph: Definition<Graph>,
        around: [Step],
        isFinal: Bool,
        in manifest: Manifest,
        _ count: inout Int
    ) {
        self.graph = graph
        self.around = around
        self.step = step
        self.isFinal = isFinal
        callee = manifest.callee(of: step)
        number = count
        count += 1
        var inner: [StepSite] = []
        for child in step.steps {
            let around = around + [step]
            inner.append(StepSite(child, of: graph, around: around, isFinal: isFinal, in: manifest, &count))
        }
        steps = inner
    }

    /// The settings of the graph, of the enclosing steps and of the step, from the outermost in.
    var settings: [Settings] { [graph.value.settings] + around.map(\.settings) + [step.settings] }

    /// Whether any of those has settings.
    var hasSettings: Bool { settings.contains { !$0.isEmpty } }

    /// The endpoint that it calls.
    var endpoint: Endpoint? {
        if case .endpoint(let endpoint, _) = callee { endpoint } else { nil }
    }

    /// How it finds the next page: its own way, or else that of the endpoint.
    var paginate: Pagination? {
        step.flow?.paginate ?? (step.flow?.withoutPages == nil ? endpoint?.request.paginate : nil)
    }

    /// Whether an error leaves unknown how it finds the next page.
    var arePagesUnknown: Bool {
        step.unknown.contains(.pages) || endpoint?.request.unknown.contains(.pages) ?? false
    }

    /// Whether its callee does not exist or is unknown because of an error.
    var callsUnknown: Bool {
        if case .unknown = callee { true } else { false }
    }

    /// The outputs of the step: its own and those of its callee; `nil` if they are not all known.
    var outputs: [OutputDefinition]? {
        guard !step.areOwnOutputsUnknown else { return nil }
        let own = step.ownOutputs
        return calledOutputs.map { own.isEmpty ? $0 : own + $0 }
    }

    /// The inputs that the callee declares; `nil` if the step is not a call, or if its callee does not exist.
    var calledInputs: Definitions<InputDeclaration>? {
        switch callee {
        case .endpoint(let endpoint, _): endpoint.inputs
        case .graph(let graph): graph.inputs
        case .unknown, nil: nil
        }
    }

    /// Whether the callee may declare more than the known inputs.
    var areCalledInputsUnknown: Bool {
        switch callee {
        case .endpoint(let endpoint, _): endpoint.request.unknown.contains(.inputs)
        case .graph(let graph): graph.unknown.contains(.inputs)
        case .unknown: true
        case nil: false
        }
    }

    private var calledOutputs: [OutputDefinition]? {
        switch callee {
        case .endpoint(let endpoint, _): endpoint.request.unknown.contains(.outputs) ? nil : endpoint.request.outputs
        case .graph(let graph): graph.unknown.contains(.outputs) ? nil : graph.outputs
        case .unknown: nil
        case nil: []
        }
    }
}

/// A graph and its steps.
final class GraphSite: Sendable {
    /// The graph.
    let definition: Definition<Graph>
    /// The steps of its body.
    let body: [StepSite]
    /// The steps of `finally`, which always run at the end.
    let finally: [StepSite]
    /// All steps. An enclosing step comes before those inside it.
    let all: [StepSite]
    /// The steps that repeat the id of an earlier step.
    let repeated: [StepSite]
    /// Whether an id may belong to a step whose id is unknown, such as one with a callee that does not exist.
    let mayHaveOtherIDs: Bool
    /// Whether a step might run before another one although nothing shows it, because of an error in the manifest.
    let isOrderUnknown: Bool

    private let byID: [String: StepSite]
    /// The first step without an id of each form.
    private let nameless: [String: Step]

    /// - Parameter count: The number of steps in the graphs before it, which is increased by those of this one.
    fileprivate init(_ definition: Definition<Graph>, in manifest: Manifest, _ count: inout Int) {
        self.definition = definition
        func sites(of steps: [Step], isFinal: Bool) -> [StepSite] {
            steps.map { StepSite($0, of: definition, around: [], isFinal: isFinal, in: manifest, &count) }
        }
        body = sites(of: definition.value.body.steps, isFinal: false)
        finally = sites(of: definition.value.finally?.steps ?? [], isFinal: true)
        all = Self.flattened(body + finally)
        let lacksSteps = definition.value.unknown.contains(.steps)
        mayHaveOtherIDs = lacksSteps || all.contains { $0.callsUnknown && $0.step.id == nil || $0.step.mayHaveOtherIDs }
        isOrderUnknown =
            lacksSteps || all.contains { $0.step.unknown.contains(anyOf: [.form, .steps, .loop, .needs]) }
        var byID: [String: StepSite] = [:]
        var nameless: [String: Step] = [:]
        var repeated: [StepSite] = []
        for site in all {
            guard let id = site.step.effectiveID else {
                nameless[site.step.form.rawValue] = nameless[site.step.form.rawValue] ?? site.step
                continue
            }
            if let first = byID.updateValue(site, forKey: id) {
                // If two steps share an id, which is an error, the first one takes precedence.
                byID[id] = first
                repeated.append(site)
            }
        }
        self.byID = byID
        self.nameless = nameless
        self.repeated = repeated
    }

    /// The step with an id.
    subscript(id: String) -> StepSite? { byID[id] }

    /// Returns the first step without an id whose form is the given name: `get` for a step `get: /a`.
    func firstStepWithoutID(of form: String) -> Step? { nameless[form] }

    /// The ids, sorted.
    var ids: [String] { byID.keys.sorted() }

    private static func flattened(_ steps: [StepSite]) -> [StepSite] {
        steps.contains { !$0.steps.isEmpty } ? steps.flatMap { [$0] + flattened($0.steps) } : steps
    }
}

extension Step {
    /// Whether the id of the step, or of one inside it, may differ from the known one.
    fileprivate var mayHaveOtherIDs: Bool {
        unknown.contains(.steps) || effectiveID == nil && unknown.contains(anyOf: [.id, .form])
    }

    /// The outputs and values that the step itself declares.
    var ownOutputs: [OutputDefinition] {
        switch action {
        case .request(let definition): outputs + definition.outputs
        case .values(let values): outputs + values
        case .call, .graph, .group, .end: outputs
        }
    }

    /// Whether the step may declare more than the known outputs and values.
    fileprivate var areOwnOutputsUnknown: Bool {
        if unknown.contains(.outputs) { return true }
        if case .request(let definition) = action { return definition.unknown.contains(.outputs) }
        return false
    }

    /// The span that gives the step its id: `id`, or the name of the endpoint or graph.
    var identifierSpan: SourceSpan { id?.span ?? namedCall?.name.span ?? span }

    /// The call of an endpoint or a graph.
    var namedCall: Step.Call? {
        switch action {
        case .call(let call), .graph(let call): call
        case .request, .group, .values, .end: nil
        }
    }

    /// A short description of the step: `GET /health`.
    var summary: String {
        switch action {
        case .call(let call), .graph(let call): return call.name.value
        case .group(let group): return group.order.rawValue
        case .values: return "values"
        case .end: return "end"
        case .request(let definition):
            return "\(definition.writtenMethod) \(definition.address.text.value.written)"
        }
    }

    /// The step and all steps inside it.
    fileprivate var withInnerSteps: [Step] { [self] + steps.flatMap(\.withInnerSteps) }

    /// The steps inside it.
    package var steps: [Step] {
        if case .group(let group) = action { group.steps } else { [] }
    }
}

extension Manifest {
    /// Every graph with its steps.
    var graphSites: [GraphSite] {
        var count = 0
        return graphs.values.map { GraphSite($0, in: self, &count) }
    }

    /// Returns the callee of a step; `nil` if the step is not a call.
    fileprivate func callee(of step: Step) -> StepSite.Callee? {
        if step.unknown.contains(.form) { return .unknown }
        switch step.action {
        case .call(let call):
            if unknown.isDefined(call.name.value, in: .endpoints) { return .unknown }
            guard let position = endpoints.index(forKey: call.name.value) else { return .unknown }
            return .endpoint(endpoints.values[position].value, position: position)
        case .graph(let call):
            if unknown.isDefined(call.name.value, in: .graphs) { return .unknown }
            return graphs[call.name.value].map { .graph($0.value) } ?? .unknown
        case .request, .group, .values, .end: return nil
        }
    }
}

extension RuleSubject {
    /// Returns the outputs of the endpoint that a session calls; `nil` if they are not all known.
    func outputs(of session: SessionDefinition) -> [OutputDefinition]? {
        guard let request = manifest.endpoints[session.call.name.value]?.value.request,
            !request.unknown.contains(.outputs)
        else { return nil }
        return request.outputs
    }
}

extension Graph {
    /// All steps of the graph, those of `finally` last.
    var allSteps: [Step] { (body.steps + (finally?.steps ?? [])).flatMap(\.withInnerSteps) }
}
