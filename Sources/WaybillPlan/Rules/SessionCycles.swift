import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest
import WaybillSchema

/// The endpoint of a session must not need the session itself, directly or through other sessions.
struct SessionCycles: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        // For each service, the service whose session its own session needs, and the span of the use.
        let needs = manifest.services.values.map { service -> [(service: Int, use: SourceSpan)] in
            guard let call = service.value.session?.call,
                let site = subject.requests.ofEndpoint(call.name.value),
                site.definition.settings.unknown.isEmpty, !site.service.isUnknown, let other = site.service.name,
                let index = manifest.services.index(forKey: other), let use = site.useOfSession
            else { return [] }
            return [(index, use)]
        }
        return DependencyOrder(needs.map { $0.map(\.service) }).cycles.compactMap { cycle in
            let first = manifest.services.values[cycle.nodes[0]]
            guard let session = first.value.session else { return nil }
            let names = (cycle.nodes.map { manifest.services.keys[$0] } + [first.name.value]).joined(separator: " → ")
            return Diagnostic(
                "session-cycle",
                "this session requires itself" + (cycle.nodes.count > 1 ? ": \(names)" : ""),
                at: session.call.name.span,
                secondary: [.init(needs[cycle.last][cycle.edge].use, "used by its endpoint")],
                help: [
                    "Add 'auth: none' to the endpoint, remove the header field with null, or move the endpoint"
                        + " to another service."
                ]
            )
        }
    }
}

extension RequestSite {
    /// The span where the request uses the session before it is sent, if there is one.
    fileprivate var useOfSession: SourceSpan? {
        var span: SourceSpan?
        let visitor = UseVisitor { use in
            guard span == nil, use.moment != .response,
                let reference = use.text.references.first(where: { $0.name == "session" })
            else { return }
            span = use.text.span(of: reference.range)
        }
        merged.visitUses(visitor)
        visitor.scalar(definition.address.text.value, .request, .address)
        for variable in definition.vars { visitor.value(variable.value, .request, .variable) }
        return span
    }
}
