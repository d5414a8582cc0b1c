import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// A manifest with the facts that several rules need, computed once.
final class RuleSubject: Sendable {
    /// The manifest, with the environment applied.
    let manifest: Manifest
    /// The values of its data files, by name; files that could not be read are missing.
    let data: JSONObject
    /// Whether files may be outside their folders.
    let allowsOutside: Bool
    /// The graphs with their steps.
    let graphs: [GraphSite]
    /// Every step of every graph.
    let steps: [StepSite]
    /// Every request that the manifest can send.
    let requests: RequestList
    /// Every path of the expression language.
    let references: ReferenceList
    /// The settings of every level that has any, as they were written.
    let settings: [Settings]

    init(_ manifest: Manifest, data: JSONObject = JSONObject(), allowsOutside: Bool = false) {
        self.manifest = manifest
        self.data = data
        self.allowsOutside = allowsOutside
        let graphs = manifest.graphSites
        self.graphs = graphs
        steps = graphs.flatMap(\.all)
        requests = RequestList(of: manifest, graphs)
        references = ReferenceList(of: manifest, graphs)
        settings = manifest.allSettings(graphs)
    }

    /// Returns the diagnostics of a check for all requests. Calls of one endpoint share its diagnostics, which are
    /// reported once.
    func diagnosticsOfRequests(_ check: (RequestSite) -> [Diagnostic]) -> [Diagnostic] {
        var seen: Set<SourceSpan> = []
        var diagnostics: [Diagnostic] = []
        for request in requests.all {
            for diagnostic in check(request) {
                if let place = diagnostic.primary?.span, seen.insert(place).inserted { diagnostics.append(diagnostic) }
            }
        }
        return diagnostics
    }
}

extension Manifest {
    /// The settings of every level that has any, as they were written.
    fileprivate func allSettings(_ graphs: [GraphSite]) -> [Settings] {
        var all: [Settings] = []
        func add(_ settings: Settings) {
            if !settings.isEmpty { all.append(settings) }
        }
        add(defaults)
        for service in services.values { add(service.value.settings) }
        for endpoint in endpoints.values { add(endpoint.value.request.settings) }
        for graph in graphs { add(graph.definition.value.settings) }
        for site in graphs.lazy.flatMap(\.all) {
            add(site.step.settings)
            if case .request(let definition) = site.step.action { add(definition.settings) }
        }
        return all
    }
}
