import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// What holds a value that other texts use, and so may hold a secret that it was given.
enum SecretHolder: Hashable {
    /// An input of an endpoint.
    case endpointInput(String, String)
    /// An input of a graph.
    case graphInput(String, String)
    /// A variable, by the place of its name.
    case variable(SourceSpan)
    /// The element at hand of a `forEach`, by the place of the name that it has.
    case element(SourceSpan)
}

/// How secrets go through a manifest: from where they are declared or marked, by way of inputs, variables and elements,
/// to where their values are used.
///
/// An output that is not marked is where a secret must not go, so nothing comes out of one.
final class SecretFlow {
    /// Where a reference gets its value from, as far as secrets go.
    enum Origin {
        /// No secret comes from there.
        case none
        /// It is a secret.
        case secret(SecretTrace)
        /// It is one if one of those that hold it was given one.
        case holders([SecretHolder])
    }

    /// A reference in a text.
    struct Use {
        let text: any EvaluatedText
        let purpose: Purpose
        let reference: Reference
        let place: UsePlace
    }

    /// Uses that end in what is sent, written or shown.
    private(set) var ends: [(use: Use, origin: Origin)] = []
    /// The secrets that are held, each with where it came from.
    private(set) var traces: [SecretHolder: SecretTrace] = [:]
    let subject: RuleSubject

    private var holders: [ObjectIdentifier: SecretHolder] = [:]
    private var edges: [SecretHolder: [(to: SecretHolder, at: SourceSpan)]] = [:]
    private var waiting: [SecretHolder] = []

    init(_ subject: RuleSubject) {
        self.subject = subject
        collectHolders()
        subject.forEachUse { use, place in self.note(use, place) }
        while let holder = waiting.popLast() {
            guard let trace = traces[holder] else { continue }
            for edge in edges[holder] ?? [] { give(trace, to: edge.to, at: edge.at) }
        }
    }

    /// The secret that comes from somewhere, if one does.
    func trace(_ origin: Origin) -> SecretTrace? {
        switch origin {
        case .none: nil
        case .secret(let trace): trace
        case .holders(let holders): holders.lazy.compactMap { self.traces[$0] }.first
        }
    }

    // MARK: What holds the value of which text

    private func collectHolders() {
        let manifest = subject.manifest
        for service in manifest.services.values {
            guard let call = service.value.session?.call else { continue }
            collect(call) { .endpointInput(call.name.value, $0) }
        }
        for endpoint in manifest.endpoints.values { collect(endpoint.value.request.vars) }
        subject.forEachStep { site in
            let step = site.step
            collect(step.vars)
            switch step.action {
            case .call(let call): collect(call) { .endpointInput(call.name.value, $0) }
            case .graph(let call): collect(call) { .graphInput(call.name.value, $0) }
            case .request(let definition): collect(definition.vars)
            case .group, .values, .end: break
            }
            guard let forEach = step.flow?.forEach else { return }
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

    private func collect(_ call: Step.Call, _ holder: (String) -> SecretHolder) {
        for argument in call.arguments {
            for template in argument.value.templates {
                holders[ObjectIdentifier(template)] = holder(argument.name.value)
            }
        }
    }

    // MARK: From where to where

    private func note(_ use: ExpressionUse, _ place: UsePlace) {
        let target = holders[ObjectIdentifier(use.text)]
        guard target != nil || use.purpose.endsSomewhere else { return }
        for reference in use.text.references where !reference.isConcealed {
            let origin = origin(of: reference, use, place)
            if let target {
                let span = use.text.span(of: reference.range)
                switch origin {
                case .none: break
                case .secret(let trace): give(trace, to: target, at: span)
                case .holders(let holders): for holder in holders { edges[holder, default: []].append((target, span)) }
                }
            } else if case .none = origin, reference.name != "request" {
                continue
            } else {
                ends.append((Use(text: use.text, purpose: use.purpose, reference: reference, place: place), origin))
            }
        }
    }

    private func give(_ trace: SecretTrace, to holder: SecretHolder, at span: SourceSpan) {
        guard traces[holder] == nil else { return }
        let words =
            switch holder {
            case .endpointInput, .graphInput: "given here"
            case .variable: "a variable is made of it here"
            case .element: "its elements are taken here"
            }
        traces[holder] = trace.passing(span, words)
        waiting.append(holder)
    }
}

extension Purpose {
    /// Whether it matters that a secret gets there.
    fileprivate var endsSomewhere: Bool {
        switch self {
        case .address, .query, .body, .data, .output, .result, .key, .fileName, .record: true
        case .header, .credential, .control, .expectation, .secretOutput, .message, .argument, .variable: false
        }
    }
}
