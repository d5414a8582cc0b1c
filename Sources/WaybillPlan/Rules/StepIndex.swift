import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// The steps of every graph by their ids.
struct StepIndex: Sendable {
    private var steps: [String: [String: Step]] = [:]

    /// Notes a step. Of two with one id, which is a mistake, the first counts.
    mutating func add(_ step: Step, in graph: String) {
        guard let id = step.effectiveID, steps[graph]?[id] == nil else { return }
        steps[graph, default: [:]][id] = step
    }

    /// The step of a graph that has an id.
    subscript(graph: String, id: String) -> Step? { steps[graph]?[id] }
}

extension Step {
    /// The named values that are written with the step itself.
    var ownOutputs: [OutputDefinition] {
        switch action {
        case .request(let definition): outputs + definition.outputs
        case .values(let values): outputs + values
        case .call, .graph, .group, .end: outputs
        }
    }
}

extension RuleSubject {
    /// The named values of a step: its own and those of what it calls; `nil` where it calls what does not exist.
    func outputs(of step: Step) -> [OutputDefinition]? {
        switch step.action {
        case .call(let call):
            manifest.endpoints[call.name.value].map { step.ownOutputs + $0.value.request.outputs }
        case .graph(let call): manifest.graphs[call.name.value].map { step.ownOutputs + $0.value.outputs }
        case .request, .values, .group, .end: step.ownOutputs
        }
    }
}
