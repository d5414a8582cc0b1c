import OrderedCollections
import WaybillDiagnostics
package import WaybillManifest

extension Manifest {
    /// The tags of graphs, steps and whatever steps have tags from.
    package var tags: [String] {
        let graphs = graphs.values.map(\.value)
        var settings = [defaults] + services.values.map(\.value.settings)
        settings += endpoints.values.map(\.value.request.settings)
        settings += graphs.map(\.settings)
        for step in graphs.flatMap(\.allSteps) {
            settings.append(step.settings)
            if case .request(let request) = step.action { settings.append(request.settings) }
        }
        return graphs.flatMap { $0.tags.map(\.value) } + settings.flatMap { $0.tags.map(\.value.value) }
    }
}
