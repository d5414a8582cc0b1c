import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

extension RuleSubject {
    /// Calls a closure with the settings of every level of the manifest, as they were written.
    func forEachSettings(_ body: (Settings) -> Void) {
        body(manifest.defaults)
        for service in manifest.services.values { body(service.value.settings) }
        for endpoint in manifest.endpoints.values { body(endpoint.value.request.settings) }
        for graph in manifest.graphs.values { body(graph.value.settings) }
        forEachStep { site in
            body(site.step.settings)
            if case .request(let definition) = site.step.action { body(definition.settings) }
        }
    }
}
