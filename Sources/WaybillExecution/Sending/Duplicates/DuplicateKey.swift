import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillTransport

/// The criterion by which two requests are equal.
enum DuplicateKey: Hashable, Sendable {
    /// They call the same endpoint.
    case endpoint(String)
    /// They are inline requests with the same method and URL.
    case address(method: String, url: String)
    /// `key` has the same value, and they call the same endpoint or are both inline requests.
    case value(JSON, endpoint: String?)
    /// Everything that is sent is the same.
    case request(WholeRequest)

    /// The key of a request that has been built, with the path of the file that it downloads.
    init(
        of request: HTTPRequest,
        by policy: Setting<DuplicatePolicy>,
        in plan: RequestPlan,
        scope: RequestScope,
        file: String? = nil
    ) throws(EvaluationFailure) {
        if let key = policy.value.key {
            let value = try key.value(in: scope.scope(policy.level))
            self = .value(value.json, endpoint: plan.endpoint)
        } else if policy.value.mode == .share || plan.download != nil {
            self = .request(WholeRequest(request: request, file: file))
        } else if let endpoint = plan.endpoint {
            self = .endpoint(endpoint)
        } else {
            self = .address(method: request.method, url: request.url)
        }
    }
}

/// A request that is compared by all that is sent.
struct WholeRequest: Hashable, Sendable {
    let request: HTTPRequest
    /// The file that it downloads.
    var file: String?

    func hash(into hasher: inout Hasher) {
        // The body is left out: requests that differ only in their bodies are rare.
        hasher.combine(request.method)
        hasher.combine(request.url)
    }
}
