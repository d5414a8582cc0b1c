import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// Every request that a manifest can send.
struct RequestList: Sendable {
    /// Each endpoint by itself, each request in a step, and each call that has settings of its own or around it or
    /// names a service. Any other call is the same as its endpoint.
    let all: [RequestSite]

    /// The requests that belong to one step only, by the numbers of the steps.
    private let ofSteps: [RequestSite?]
    /// For each endpoint that steps call, whether any call has neither settings, its own or around it, nor a service.
    private let plainCalls: [Bool?]
    /// Whether a step may call any endpoint, because of errors in the manifest.
    private let mayCallAny: Bool
    private let manifest: Manifest

    /// Collects the requests of a manifest. Its graphs must be resolved already.
    init(of manifest: Manifest, _ graphs: [GraphSite]) {
        self.manifest = manifest
        let far = FarLevels(manifest)
        var all = manifest.endpoints.values.map { endpoint in
            let name = endpoint.name
            return RequestSite(
                endpoint.value.request,
                step: nil,
                endpoint: name.value,
                span: name.span,
                in: far
            )
        }
        var plainCalls = [Bool?](repeating: nil, count: all.count)
        var ofSteps: [RequestSite?] = []
        for site in graphs.lazy.flatMap(\.all) {
            var request: RequestSite?
            if case .endpoint(let endpoint, let position) = site.callee, case .call(let call) = site.step.action {
                if site.hasSettings || site.step.service != nil {
                    plainCalls[position] = plainCalls[position] ?? false
                    let (name, span) = (call.name.value, call.name.span)
                    request = RequestSite(endpoint.request, step: site, endpoint: name, span: span, in: far)
                } else {
                    plainCalls[position] = true
                }
            } else if case .request(let definition) = site.step.action {
                let span = site.step.span
                request = RequestSite(definition, step: site, endpoint: nil, span: span, in: far)
            }
            ofSteps.append(request)
            if let request { all.append(request) }
        }
        self.all = all
        self.ofSteps = ofSteps
        self.plainCalls = plainCalls
        mayCallAny = graphs.contains { $0.mayHaveOtherIDs }
    }

    /// Returns the request of an endpoint by itself.
    func ofEndpoint(_ name: String) -> RequestSite? { manifest.endpoints.index(forKey: name).map { all[$0] } }

    /// Returns the request that a step sends, if it sends one itself.
    func of(_ site: StepSite) -> RequestSite? {
        if let own = ofSteps[site.number] { return own }
        if case .endpoint(_, let position) = site.callee { return all[position] }
        return nil
    }

    /// Whether steps call an endpoint, and all calls have a service or settings of their own or around them. Also true
    /// if a step with an unknown callee may be the only caller.
    func isCalledWithSettingsOnly(_ endpoint: String) -> Bool {
        guard let index = manifest.endpoints.index(forKey: endpoint) else { return false }
        return plainCalls[index].map { !$0 } ?? mayCallAny
    }
}
