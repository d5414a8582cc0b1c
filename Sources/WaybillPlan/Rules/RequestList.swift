import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// Every request that a manifest can send.
struct RequestList: Sendable {
    /// Each endpoint by itself, each request in place, and each call that has settings of its own or around it, or names
    /// a service. Any other call is as its endpoint.
    let all: [RequestSite]

    /// By the numbers of the steps, the requests that are for them alone.
    private let ofSteps: [RequestSite?]
    /// Of each endpoint that steps call, whether some call has no settings of its own or around it and names no service.
    private let plainCalls: [Bool?]
    /// Whether some step may call any endpoint.
    private let mayCallAny: Bool
    private let manifest: Manifest

    /// Collects the requests of a manifest, whose graphs were gone through already.
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

    /// The request of an endpoint by itself.
    func ofEndpoint(_ name: String) -> RequestSite? { manifest.endpoints.index(forKey: name).map { all[$0] } }

    /// The request that a step sends, if it sends one itself.
    func of(_ site: StepSite) -> RequestSite? {
        if let own = ofSteps[site.number] { return own }
        if case .endpoint(_, let position) = site.callee { return all[position] }
        return nil
    }

    /// Whether an endpoint is called by steps, but never without a service or settings of their own or around them. A step that cannot
    /// be told may be such a one.
    func isCalledWithSettingsOnly(_ endpoint: String) -> Bool {
        guard let index = manifest.endpoints.index(forKey: endpoint) else { return false }
        return plainCalls[index].map { !$0 } ?? mayCallAny
    }
}
