import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

extension Step {
    /// The outputs and values that the step itself declares.
    var ownOutputs: [OutputDefinition] {
        switch action {
        case .request(let definition): outputs + definition.outputs
        case .values(let values): outputs + values
        case .call, .graph, .group, .end: outputs
        }
    }
}

extension Step {
    /// Whether the step may declare more than the known outputs and values.
    fileprivate var areOwnOutputsUnknown: Bool {
        if unknown.contains(.outputs) { return true }
        if case .request(let definition) = action { return definition.unknown.contains(.outputs) }
        return false
    }
}

extension StepSite {
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

extension RuleSubject {
    /// Returns the outputs of the endpoint that a session calls; `nil` if they are not all known.
    func outputs(of session: SessionDefinition) -> [OutputDefinition]? {
        guard let request = manifest.endpoints[session.call.name.value]?.value.request,
            !request.unknown.contains(.outputs)
        else { return nil }
        return request.outputs
    }
}
