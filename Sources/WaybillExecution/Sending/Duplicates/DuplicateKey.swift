import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillTransport

/// The criterion by which two requests are equal.
enum DuplicateKey: Hashable, Sendable {
    /// They call the same endpoint, or are the same inline request.
    case endpoint(String)
    /// In addition, `key` has the same value.
    case value(JSON, of: String)
    /// Everything that is sent is the same.
    case request(WholeRequest)

    /// The key of a request that has been built, with the path of the file that it downloads.
    init(
        of request: HTTPRequest,
        by policy: Setting<DuplicatePolicy>,
        in step: StepPlan,
        _ plan: RequestPlan,
        scope: RequestScope,
        file: String? = nil
    ) throws(EvaluationFailure) {
        let endpoint = plan.endpoint ?? step.path
        if let key = policy.value.key {
            let value = try key.value(in: scope.scope(policy.level))
            self = .value(value.json, of: endpoint)
        } else if policy.value.mode == .share || plan.download != nil {
            self = .request(WholeRequest(request: request, file: file))
        } else {
            self = .endpoint(endpoint)
        }
    }
}

/// A request that is compared by all that is sent.
struct WholeRequest: Hashable, Sendable {
    /// The request.
    let request: HTTPRequest
    /// The file that it downloads.
    var file: String?

    func hash(into hasher: inout Hasher) {
        // The body is left out: requests that differ only in their bodies are rare.
        hasher.combine(request.method)
        hasher.combine(request.url)
    }
}
