import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A request must name a service that exists, and must name one if it could belong to several.
struct ServiceNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        for site in subject.requests.all {
            if let name = site.service.named {
                if manifest.services[name.value] == nil, !manifest.unknown.mayDefine(name.value, in: .services) {
                    diagnostics.append(.unknown("service", name, among: manifest.services.keys))
                }
            } else if site.service.isAmbiguous,
                // Every step that calls the endpoint may give it the service.
                !(site.steps.isEmpty && site.endpoint.map(subject.requests.isCalledWithSettingsOnly) ?? false)
            {
                let names = manifest.services.keys.map { "'\($0)'" }.joined(separator: ", ")
                diagnostics.report(
                    "service-needed",
                    "this request must name its service, because there are several",
                    at: site.definition.address.text.span,
                    help: ["Add 'service' with one of \(names)."]
                )
            }
        }
        return diagnostics
    }
}
