import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// The references that may yield a secret.
extension SecretFlow {
    /// The origin of the value of a reference.
    func origin(of site: ReferenceSite) -> Origin {
        let (reference, place) = (site.reference, site.place)
        switch reference.root {
        case .secrets:
            let declaration = reference.segments.first?.name.flatMap { subject.manifest.secrets[$0] }
            return .secret(SecretTrace(declaration?.name.span, "this is a secret"))
        case .inputs: return input(site)
        case .vars:
            guard let name = reference.segments.first?.name else {
                return .holders(place.vars.map { .variable($0.name.span) })
            }
            return place.vars.last { $0.name.value == name }.map { .holders([.variable($0.name.span)]) } ?? .none
        case .session:
            return marked(among: place.sessions.flatMap { subject.outputs(of: $0) ?? [] }, reference.segments.first)
        case .steps: return site.step.map { step($0, reference) } ?? .none
        case nil:
            let variable = place.loopVariables.last { $0.value == reference.name }
            return variable.map { .holders([.element($0.span)]) } ?? .none
        case .document, .manifest, .data, .run, .state, .request, .response, .item: return .none
        }
    }

    private func input(_ site: ReferenceSite) -> Origin {
        // Inputs of the manifest are not secrets, which are declared separately.
        guard let declarations = site.place.declarations else { return .none }
        let inputs = declarations.inputs.values
        if let input = site.input { return .holders([.input(inputs[input - declarations.start].name.span)]) }
        return site.reference.segments.first?.name == nil ? .holders(inputs.map { .input($0.name.span) }) : .none
    }

    private func step(_ site: StepSite, _ reference: Reference) -> Origin {
        let step = site.step
        let fields = Array(reference.segments.dropFirst())
        guard step.flow?.forEach != nil, fields.first?.name == "items" else { return field(fields, of: site) }
        // `items[0].outputs` and `items[*].outputs` are fields of elements, `items` is the list of all elements.
        let isOfAll = !reference.isComplete && fields.count == 1
        let element = isOfAll ? reference.childSegments ?? [] : Array(fields.dropFirst(2))
        if element.first?.name == "item", let variable = step.flow?.forEach?.variable {
            return .holders([.element(variable.span)])
        }
        return field(element, of: site)
    }

    private func field(_ fields: [Reference.Segment], of site: StepSite) -> Origin {
        if let name = fields.first?.name, name != "outputs" { return .none }
        return marked(among: site.outputs ?? site.step.ownOutputs, fields.dropFirst().first)
    }

    /// Whether an output, or any of them, is marked as a secret.
    private func marked(among outputs: [OutputDefinition], _ segment: Reference.Segment?) -> Origin {
        let output = outputs.first { output in
            output.isSecret && segment?.name.map { output.name.value.hasSameCodePoints(as: $0) } ?? true
        }
        return output.map { .secret(SecretTrace($0.name.span, "marked as a secret here")) } ?? .none
    }
}
