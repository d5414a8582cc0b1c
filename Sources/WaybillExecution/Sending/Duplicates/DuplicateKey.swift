import WaybillDiagnostics
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
    /// Everything that is sent is the same, and what is done with the response.
    case request(WholeRequest)
    /// They download the same to one path.
    case download(WholeRequest, path: String)

    /// The key of a request that has not been built; `nil` if it is not known yet, because it may depend on more than its
    /// inputs.
    init?(by policy: Setting<DuplicatePolicy>, in plan: RequestPlan, scope: RequestScope) {
        func isKnown(_ references: [Reference]) -> Bool {
            !references.contains { ["session", "request", "vars"].contains($0.name) }
        }
        if let key = policy.value.key {
            guard isKnown(key.references), let value = try? key.value(in: scope.scope(policy.level)) else { return nil }
            self = .value(value.json, endpoint: plan.endpoint)
        } else if plan.download != nil {
            return nil
        } else if let endpoint = plan.endpoint {
            self = .endpoint(endpoint)
        } else {
            let settings = plan.settings
            var isAddressKnown = settings.query.isEmpty && settings.params.isEmpty
            let visitor = UseVisitor { isAddressKnown = isAddressKnown && isKnown($0.text.references) }
            for text in [plan.address.text.value, plan.method?.value, settings.baseURL?.value, settings.version?.value]
            {
                visitor.scalar(text, .request, .address)
            }
            var builder = RequestBuilder(plan, in: scope)
            guard case .plain = builder.page, isAddressKnown, let method = try? builder.method(),
                let url = try? builder.target().url
            else { return nil }
            self = .address(method: method, url: url)
        }
    }

    /// The key of a request that has been built, with its signer and its download, if it has them.
    init(
        of request: HTTPRequest,
        by policy: Setting<DuplicatePolicy>,
        in plan: RequestPlan,
        scope: RequestScope,
        signer: AWSSigner? = nil,
        download: AttemptDownload? = nil
    ) throws(EvaluationFailure) {
        if let key = policy.value.key {
            let value = try key.value(in: scope.scope(policy.level))
            self = .value(value.json, endpoint: plan.endpoint)
        } else if policy.value.mode == .share {
            self = .request(WholeRequest(request: request, signer: signer, file: download.map(WholeRequest.File.init)))
        } else if let download {
            // A later download takes the place of an earlier one wherever it is written in the manifest.
            self = .download(WholeRequest(request: request), path: download.target.path)
        } else if let endpoint = plan.endpoint {
            self = .endpoint(endpoint)
        } else {
            self = .address(method: request.method, url: request.url)
        }
    }
}

/// A request that is compared by all that is sent, and by what decides whether its file is accepted.
struct WholeRequest: Hashable, Sendable {
    /// The file that a request downloads.
    struct File: Hashable, Sendable {
        /// Its path.
        let path: String
        /// Where the checksum, and whether an existing file is kept, are written.
        let definition: SourceSpan
        /// The statuses with which a response has the file.
        let expectedStatus: [StatusPattern]

        init(_ download: AttemptDownload) {
            path = download.target.path
            definition = download.definition.span
            expectedStatus = download.expectedStatus
        }
    }

    let request: HTTPRequest
    /// What signs the request when it is sent.
    var signer: AWSSigner?
    /// The file that it downloads.
    var file: File?

    func hash(into hasher: inout Hasher) {
        // The body is left out: requests that differ only in their bodies are rare.
        hasher.combine(request.method)
        hasher.combine(request.url)
    }
}
