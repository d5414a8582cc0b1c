import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A call must name an endpoint that exists.
struct EndpointNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        func check(_ name: Spanned<String>) {
            guard manifest.endpoints[name.value] == nil, !manifest.unknown.mayDefine(name.value, in: .endpoints)
            else { return }
            let help = manifest.graphs[name.value] == nil ? [] : ["'\(name.value)' is a graph; run it with 'graph'."]
            // Finding the nearest name requires a comparison with every endpoint, and nobody reads thousands of
            // suggestions.
            let known = diagnostics.count < 100 ? Array(manifest.endpoints.keys) : []
            diagnostics.append(.unknown("endpoint", name, among: known, help: help))
        }
        for service in manifest.services.values {
            if let session = service.value.session { check(session.call.name) }
        }
        for site in subject.steps where site.callsUnknown && !site.step.unknown.contains(.form) {
            if case .call(let call) = site.step.action { check(call.name) }
        }
        return diagnostics
    }
}
