import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A request must have an address: an absolute URL, or a path and a base URL to append it to.
struct AddressParts: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        return subject.requests.all.compactMap { site in
            guard case .path(let path) = site.definition.address, !site.definition.unknown.contains(.address),
                !site.mayHave(BaseURLSetting.key), !site.service.isAmbiguous, !site.service.isUnknown
            else { return nil }
            // An endpoint by itself may get its base URL from the steps that call it.
            if site.steps.isEmpty, let name = site.endpoint, subject.requests.isCalledWithSettingsOnly(name) {
                return nil
            }
            return Diagnostic(
                "no-base-url",
                "this path requires a base URL",
                at: path.span,
                secondary: site.callers.last.map { [.init($0.step.span, "runs the graph with its settings")] } ?? [],
                help: [help(for: site, manifest)]
            )
        }
    }

    private func help(for site: RequestSite, _ manifest: Manifest) -> String {
        if site.definition.operation != nil {
            return "The document has no server with an absolute URL: give the service a 'baseURL'."
        }
        if site.service.standsAlone {
            return "With 'standalone', the base URL of a service or the defaults does not apply: write an absolute "
                + "'url' instead of a path."
        }
        return manifest.services.isEmpty
            ? "Write an absolute 'url', or define a service with a 'baseURL'."
            : "Give the service or the defaults a 'baseURL', or write an absolute 'url'."
    }
}
