import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A request has an address: an absolute URL, or a path and a base URL to add it to.
struct AddressParts: ManifestRule {
    func check(_ manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        let called = manifest.calledEndpoints
        manifest.forEachRequest { site in
            guard case .path(let path) = site.definition.address else { return }
            let layers = site.layers(in: manifest).settings
            // An endpoint by itself may get its base URL from the steps that call it.
            let isCalledOnly = site.endpoint != nil && site.steps.isEmpty && called.contains(site.endpoint ?? "")
            if layers.contains(where: { $0.baseURL != nil }) || site.service(in: manifest).isAmbiguous || isCalledOnly {
                return
            }
            if let name = site.definition.service, manifest.services[name.value] == nil { return }
            diagnostics.append(
                Diagnostic(
                    "no-base-url",
                    "there is no base URL that this path could be added to",
                    at: path.span,
                    help: [
                        manifest.services.isEmpty
                            ? "Write an absolute 'url', or define a service with a 'baseURL'."
                            : "Give the service or the defaults a 'baseURL', or write an absolute 'url'."
                    ]
                )
            )
        }
        return diagnostics
    }
}

extension Manifest {
    /// The endpoints that steps call.
    fileprivate var calledEndpoints: Set<String> {
        var names: Set<String> = []
        forEachStep { _, _, step in
            if case .call(let endpoint, _, _) = step.action { names.insert(endpoint.value) }
        }
        return names
    }
}
