import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

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

extension StepSite {
    /// The named values of the step: its own and those of what it calls; `nil` where it calls what does not exist.
    var outputs: [OutputDefinition]? {
        let own = step.ownOutputs
        return calledOutputs.map { own.isEmpty ? $0 : own + $0 }
    }

    /// The inputs that what it calls declares; `nil` where it is no call, or of what does not exist.
    var calledInputs: Definitions<InputDeclaration>? {
        switch callee {
        case .endpoint(let endpoint, _): endpoint.inputs
        case .graph(let graph): graph.inputs
        case .unknown, nil: nil
        }
    }

    private var calledOutputs: [OutputDefinition]? {
        switch callee {
        case .endpoint(let endpoint, _): endpoint.request.outputs
        case .graph(let graph): graph.outputs
        case .unknown: nil
        case nil: []
        }
    }
}

extension RuleSubject {
    /// The named values of what a session calls; `nil` where it calls what does not exist.
    func outputs(of session: SessionDefinition) -> [OutputDefinition]? {
        manifest.endpoints[session.call.name.value]?.value.request.outputs
    }
}
