import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// The endpoint of a session must not need the session itself, directly or through other sessions.
struct SessionCycles: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        // By service: the service whose session its own session needs.
        var needs: [String: (service: String, use: SourceSpan)] = [:]
        for (name, service) in manifest.services {
            guard let call = service.value.session?.call,
                let site = subject.requests.ofEndpoint(call.name.value),
                site.definition.settings.unknown.isEmpty, !site.service.isUnknown, let other = site.service.name,
                let use = site.useOfSession
            else { continue }
            needs[name] = (other, use)
        }
        var diagnostics: [Diagnostic] = []
        var done: Set<String> = []
        for name in manifest.services.keys {
            var path: [String] = []
            var positions: [String: Int] = [:]
            var current = name
            while !done.contains(current), let need = needs[current] {
                done.insert(current)
                positions[current] = path.count
                path.append(current)
                current = need.service
                guard let start = positions[current], let session = manifest.services[current]?.value.session
                else { continue }
                let cycle = (path[start...] + [current]).joined(separator: " → ")
                diagnostics.report(
                    "session-cycle",
                    "this session requires itself"
                        + (path.count - start > 1 ? ": \(cycle)" : ""),
                    at: session.call.name.span,
                    secondary: [.init(need.use, "used by its endpoint")],
                    help: [
                        "Add 'auth: none' to the endpoint, remove the header field with null, or move the endpoint"
                            + " to another service."
                    ]
                )
            }
        }
        return diagnostics
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
