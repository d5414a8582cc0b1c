import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A definition that holds a value for other expressions, and may therefore hold a secret.
enum SecretHolder: Hashable {
    /// An input of an endpoint or a graph, by the span of its name.
    case input(SourceSpan)
    /// A variable, by the span of its name.
    case variable(SourceSpan)
    /// The current element of a `forEach`, by the span of its variable.
    case element(SourceSpan)
}

/// The flow of secrets and of plain results through a manifest: from where they are declared, marked or received, through
/// inputs, variables and elements, to where their values are used.
///
/// Unmarked outputs are not followed, because a secret in one is an error.
final class SecretFlow {
    /// What is followed.
    enum Content {
        case secret
        /// Results of a step that are not secret, which are written and shown when the step has finished.
        case results
    }

    /// The origin of the value of a reference.
    enum Origin {
        /// The value contains nothing that is followed.
        case none
        case content(Content, SecretTrace)
        /// The value contains what one of its holders was given.
        case holders([SecretHolder])
    }

    /// What a holder was given.
    private struct Held: Hashable {
        let content: Content
        let holder: SecretHolder
    }

    typealias End = (site: ReferenceSite, origin: Origin)

    /// The uses that send, write or show a value, and those in secret outputs.
    private(set) var ends: [End] = []
    /// The contents that are held, with the path of each.
    private var traces: [Held: SecretTrace] = [:]
    let subject: RuleSubject

    private var holders: [ObjectIdentifier: SecretHolder] = [:]
    private var edges: [SecretHolder: [(to: SecretHolder, use: ReferenceSite)]] = [:]
    private var waiting: [Held] = []

    init(_ subject: RuleSubject) {
        self.subject = subject
        collectHolders()
        for site in subject.references.sites where !site.reference.isConcealed { note(site) }
        while let held = waiting.popLast() {
            guard let trace = traces[held] else { continue }
            for edge in edges[held.holder] ?? [] { give(held.content, trace, to: edge.to, by: edge.use) }
        }
    }

    /// Returns the path of a content with an origin, if there is one.
    func trace(_ origin: Origin, of content: Content = .secret) -> SecretTrace? {
        switch origin {
        case .none: nil
        case .content(let found, let trace): found == content ? trace : nil
        case .holders(let holders): holders.lazy.compactMap { self.traces[Held(content: content, holder: $0)] }.first
        }
    }

    // MARK: What holds the value of which text

    private func collectHolders() {
        let manifest = subject.manifest
        for service in manifest.services.values {
            guard let call = service.value.session?.call, let endpoint = manifest.endpoints[call.name.value]?.value
            else { continue }
            collect(call, endpoint.inputs)
        }
        for endpoint in manifest.endpoints.values { collect(endpoint.value.request.vars) }
        for site in subject.steps {
            let step = site.step
            collect(step.vars)
            switch step.action {
            case .call(let call), .graph(let call):
                if let inputs = site.calledInputs { collect(call, inputs) }
            case .request(let definition): collect(definition.vars)
            case .group, .values, .end: break
            }
            guard let forEach = step.flow?.forEach else { continue }
            let element = SecretHolder.element(forEach.variable.span)
            switch forEach.elements {
            case .expression(let expression): holders[ObjectIdentifier(expression)] = element
            case .list(let elements):
                for template in elements.flatMap(\.templates) { holders[ObjectIdentifier(template)] = element }
            }
        }
    }

    private func collect(_ variables: [VariableDefinition]) {
        for variable in variables {
            for template in variable.value.templates {
                holders[ObjectIdentifier(template)] = .variable(variable.name.span)
            }
        }
    }

    private func collect(_ call: Step.Call, _ inputs: Definitions<InputDeclaration>) {
        for argument in call.arguments {
            guard let input = inputs.index(forKey: argument.name.value) else { continue }
            let holder = SecretHolder.input(inputs.values[input].name.span)
            for template in argument.value.templates {
                holders[ObjectIdentifier(template)] = holder
            }
        }
    }

    // MARK: From where to where

    private func note(_ use: ReferenceSite) {
        let target = holders[ObjectIdentifier(use.text)]
        guard target != nil || use.purpose.endsSomewhere else { return }
        let origin = origin(of: use)
        guard let target else {
            if case .none = origin, use.reference.root != .request, use.purpose != .secretOutput { return }
            ends.append((use, origin))
            return
        }
        switch origin {
        case .none: break
        case .content(let content, let trace): give(content, trace, to: target, by: use)
        case .holders(let holders): for holder in holders { edges[holder, default: []].append((target, use)) }
        }
    }

    private func give(_ content: Content, _ trace: SecretTrace, to holder: SecretHolder, by use: ReferenceSite) {
        let held = Held(content: content, holder: holder)
        guard traces[held] == nil else { return }
        let words =
            switch holder {
            case .input: "given here"
            case .variable: "a variable uses it here"
            case .element: "its elements are used here"
            }
        traces[held] = trace.passing(use.span(of: use.reference.range), words)
        waiting.append(held)
    }
}

extension Purpose {
    /// Whether uses for this purpose are checked for secrets.
    fileprivate var endsSomewhere: Bool {
        switch self {
        case .address, .query, .body, .data, .output, .result, .key, .fileName, .record, .state, .secretOutput: true
        case .header, .credential, .control, .expectation, .message, .argument, .variable: false
        }
    }
}

/// The references that may yield a secret.
extension SecretFlow {
    /// The origin of the value of a reference.
    func origin(of site: ReferenceSite) -> Origin {
        let (reference, location) = (site.reference, site.location)
        switch reference.root {
        case .secrets:
            let declaration = reference.segments.first?.name.flatMap { subject.manifest.secrets[$0] }
            return .content(.secret, SecretTrace(declaration?.name.span, "this is a secret"))
        case .inputs: return input(site)
        case .vars:
            guard let name = reference.segments.first?.name else {
                return .holders(location.vars.map { .variable($0.name.span) })
            }
            return location.vars.last { $0.name.value == name }.map { .holders([.variable($0.name.span)]) } ?? .none
        case .session:
            return marked(among: location.sessions.flatMap { subject.outputs(of: $0) ?? [] }, reference.segments.first)
        case .steps: return site.step.map { step($0, reference) } ?? .none
        case nil:
            let variable = location.loopVariables.last { $0.value == reference.name }
            return variable.map { .holders([.element($0.span)]) } ?? .none
        case .document, .manifest, .data, .run, .state, .request, .response, .item: return .none
        }
    }

    private func input(_ site: ReferenceSite) -> Origin {
        // Inputs of the manifest are not secrets, which are declared separately.
        guard let declarations = site.location.declarations else { return .none }
        if let input = site.input { return .holders([.input(input.span)]) }
        let isOfAll = site.reference.segments.first?.name == nil
        return isOfAll ? .holders(declarations.inputs.values.map { .input($0.name.span) }) : .none
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
        let name = fields.first?.name
        if name == nil || name == "outputs" {
            let marked = marked(among: site.outputs ?? site.step.ownOutputs, fields.dropFirst().first)
            if case .content = marked { return marked }
        }
        let isWritten = name.map { ["data", "headers", "outputs"].contains($0) } ?? true
        return isWritten ? .content(.results, SecretTrace(nil, "")) : .none
    }

    /// Whether an output, or any of them, is marked as a secret.
    private func marked(among outputs: [OutputDefinition], _ segment: Reference.Segment?) -> Origin {
        let output = outputs.first { output in
            output.isSecret && segment?.name.map { output.name.value.hasSameCodePoints(as: $0) } ?? true
        }
        return output.map { .content(.secret, SecretTrace($0.name.span, "marked as a secret here")) } ?? .none
    }
}
