import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A check of what a manifest means, once its shape is known to be right. One rule a file; its words stand with it.
protocol ManifestRule: Sendable {
    /// What the rule finds, in any order.
    func check(_ manifest: Manifest) -> [Diagnostic]
}

/// Every rule.
let allRules: [any ManifestRule] = [
    ServiceNames(),
    EndpointNames(),
    FilterNames(),
    StepIdentifiers(),
    CallInputs(),
    ScopeNames(),
    DataFlow(),
    ParameterClash(),
    AddressParts(),
    BodyConflicts(),
]

extension Diagnostic {
    /// A name that nothing has.
    static func unknown(
        _ sort: String,
        _ name: Spanned<String>,
        among known: some Collection<String>,
        help: [String] = []
    ) -> Diagnostic {
        let nearest = NearestName.of(name.value, among: known)
        var help = help
        if nearest == nil, !known.isEmpty, known.count <= 12 {
            help.append("There is \(known.map { "'\($0)'" }.joined(separator: ", ")).")
        }
        return Diagnostic(
            DiagnosticID(stringLiteral: "unknown-\(sort)"),
            "no \(sort) is named '\(name.value)'",
            at: name.span,
            label: nearest.map { "did you mean '\($0)'?" } ?? "",
            help: help
        )
    }
}

extension Manifest {
    /// Every step of every graph, with the graph and the steps around it.
    func forEachStep(_ body: (_ graph: Definition<Graph>, _ around: [Step], _ step: Step) -> Void) {
        func visit(_ group: Group, around: [Step], in graph: Definition<Graph>) {
            for step in group.steps {
                body(graph, around, step)
                if case .group(let inner) = step.action { visit(inner, around: around + [step], in: graph) }
            }
        }
        for graph in graphs.values { visit(graph.value.body, around: [], in: graph) }
    }

    /// Every request there can be: each endpoint by itself, and each request of a step with the settings around it.
    func forEachRequest(_ body: (RequestSite) -> Void) {
        for (name, endpoint) in endpoints {
            body(RequestSite(definition: endpoint.value.request, steps: [], span: endpoint.name.span, endpoint: name))
        }
        forEachStep { graph, around, step in
            let settings = [graph.value.settings] + around.map(\.settings) + [step.settings]
            switch step.action {
            case .request(let definition):
                body(RequestSite(definition: definition, steps: settings, span: step.span, endpoint: nil))
            case .call(let name, _, _):
                guard let endpoint = endpoints[name.value]?.value else { return }
                body(RequestSite(definition: endpoint.request, steps: settings, span: step.span, endpoint: name.value))
            case .group:
                return
            }
        }
    }
}

/// A request and where it would be sent from.
struct RequestSite {
    /// The request as written.
    let definition: RequestDefinition
    /// The settings of the graph and of the steps around it, outer to inner; none for an endpoint by itself.
    let steps: [Settings]
    /// The place to blame.
    let span: SourceSpan
    /// The endpoint; `nil` for a request in place.
    let endpoint: String?

    /// The service that it belongs to.
    func service(in manifest: Manifest) -> RequestService {
        RequestService(of: definition, settings: steps, in: manifest)
    }

    /// The levels of its cascade, the farthest first.
    func layers(in manifest: Manifest) -> RequestLayers {
        RequestLayers(definition, service: service(in: manifest), steps: steps, in: manifest)
    }
}
