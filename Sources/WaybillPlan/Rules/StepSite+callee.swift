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

extension Step {
    /// Whether other named values may be written with the step itself than those that are known.
    fileprivate var areOwnOutputsUnknown: Bool {
        if unknown.contains(.outputs) { return true }
        if case .request(let definition) = action { return definition.unknown.contains(.outputs) }
        return false
    }
}

extension StepSite {
    /// The named values of the step: its own and those of what it calls; `nil` where they are not all known.
    var outputs: [OutputDefinition]? {
        guard !step.areOwnOutputsUnknown else { return nil }
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

    /// Whether what it calls may declare other inputs than those that are known.
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
    /// The named values of what a session calls; `nil` where they are not all known.
    func outputs(of session: SessionDefinition) -> [OutputDefinition]? {
        guard let request = manifest.endpoints[session.call.name.value]?.value.request,
            !request.unknown.contains(.outputs)
        else { return nil }
        return request.outputs
    }
}
