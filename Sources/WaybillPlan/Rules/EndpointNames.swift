import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A call names an endpoint that exists.
struct EndpointNames: ManifestRule {
    func check(_ manifest: Manifest) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        manifest.forEachStep { _, _, step in
            guard case .call(let name, _, _) = step.action, manifest.endpoints[name.value] == nil else { return }
            let isGraph = manifest.graphs[name.value] != nil
            let help = isGraph ? ["'\(name.value)' is a graph; 'call' takes endpoints."] : []
            diagnostics.append(.unknown("endpoint", name, among: manifest.endpoints.keys, help: help))
        }
        return diagnostics
    }
}
