import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// Which references may give a secret.
extension SecretFlow {
    /// Where the value of a reference comes from.
    func origin(of reference: Reference, _ use: ExpressionUse, _ place: UsePlace) -> Origin {
        switch reference.name {
        case "secrets":
            let declaration = reference.segments.first?.name.flatMap { subject.manifest.secrets[$0] }
            return .secret(SecretTrace(declaration?.name.span, "this is a secret"))
        case "inputs": return input(reference, place)
        case "vars":
            guard let name = reference.segments.first?.name else {
                return .holders(place.vars.map { .variable($0.name.span) })
            }
            return place.vars.last { $0.name.value == name }.map { .holders([.variable($0.name.span)]) } ?? .none
        case "session":
            return marked(among: place.sessions.flatMap { subject.outputs(of: $0) ?? [] }, reference.segments.first)
        case "steps": return step(reference, place)
        case "item" where use.seesItem: return .none
        case let name:
            let variable = place.loopVariables.last { $0.value == name }
            return variable.map { .holders([.element($0.span)]) } ?? .none
        }
    }

    private func input(_ reference: Reference, _ place: UsePlace) -> Origin {
        // Inputs of the manifest are no secrets: those are declared apart.
        let own: [SecretHolder]
        switch place.level {
        case .endpoint(let endpoint):
            let inputs = subject.manifest.endpoints[endpoint]?.value.inputs ?? [:]
            own = reference.names(among: inputs).map { .endpointInput(endpoint, $0) }
        case .graph(let graph):
            let inputs = subject.manifest.graphs[graph]?.value.inputs ?? [:]
            own = reference.names(among: inputs).map { .graphInput(graph, $0) }
        case .defaults, .service: return .none
        }
        return own.isEmpty ? .none : .holders(own)
    }

    private func step(_ reference: Reference, _ place: UsePlace) -> Origin {
        guard let graph = place.graph?.name.value, let id = reference.segments.first?.name,
            let step = subject.steps[graph, id]
        else { return .none }
        let fields = Array(reference.segments.dropFirst())
        guard step.flow?.forEach != nil, fields.first?.name == "items" else { return field(fields, of: step) }
        // `items[0].outputs` and `items[*].outputs` are fields of elements, `items` is all of them.
        let isOfAll = !reference.isComplete && fields.count == 1
        let element = isOfAll ? reference.childSegments ?? [] : Array(fields.dropFirst(2))
        if element.first?.name == "item", let variable = step.flow?.forEach?.variable {
            return .holders([.element(variable.span)])
        }
        return field(element, of: step)
    }

    private func field(_ fields: [Reference.Segment], of step: Step) -> Origin {
        if let name = fields.first?.name, name != "outputs" { return .none }
        let name = fields.dropFirst().first
        let own = marked(among: step.ownOutputs, name)
        guard case .none = own else { return own }
        switch step.action {
        case .call(let call):
            return marked(among: subject.manifest.endpoints[call.name.value]?.value.request.outputs ?? [], name)
        case .graph(let call): return marked(among: subject.manifest.graphs[call.name.value]?.value.outputs ?? [], name)
        case .request, .group, .values, .end: return .none
        }
    }

    /// Whether an output, or one of all, is marked as a secret.
    private func marked(among outputs: [OutputDefinition], _ segment: Reference.Segment?) -> Origin {
        let output = outputs.first { output in
            output.isSecret && segment?.name.map { output.name.value.hasSameCodePoints(as: $0) } ?? true
        }
        return output.map { .secret(SecretTrace($0.name.span, "marked as a secret here")) } ?? .none
    }
}

extension Reference {
    /// The inputs that the reference gives: the one that it names, or all.
    fileprivate func names(among inputs: Definitions<InputDeclaration>) -> [String] {
        guard let name = segments.first?.name else { return Array(inputs.keys) }
        return inputs[name] == nil ? [] : [name]
    }
}
