import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillRuntime
import WaybillTransport

/// What an access token is asked for with (RFC 6749, section 4); everything in it is evaluated.
final class TokenGrant: Sendable {
    /// A field of the form that is sent.
    struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    /// How the client proves itself (RFC 6749, section 2.3.1).
    struct Client: Sendable, Hashable {
        /// The value of the Authorization field, if it does so there.
        var authorization: String?
        /// What it says of itself in the form.
        var parameters: [Parameter] = []

        /// A client that gives its secret in the body or in a field; one without a secret can only say who it is.
        init(id: String?, secret: String?, inBody: Bool) {
            if let secret, !inBody {
                let pair = "\(PercentEncoding.form(id ?? "")):\(PercentEncoding.form(secret))"
                authorization = "Basic \(Base64.encode(Array(pair.utf8)))"
            } else {
                if let id { parameters.append(Parameter(name: "client_id", value: id)) }
                if let secret { parameters.append(Parameter(name: "client_secret", value: secret)) }
            }
        }
    }

    /// All that decides which token is given. Requests for which it is the same share one.
    struct Key: Sendable, Hashable {
        /// The token endpoint.
        let url: String
        /// What is asked for, `grant_type` included.
        let parameters: [Parameter]
        let client: Client
    }

    let key: Key
    /// How a request for a token travels: without what it says.
    let transfer: HTTPRequest
    /// Whether the request may go over a mobile network.
    let allowsMetered: Bool
    /// The manifest's words for the token endpoint.
    let span: SourceSpan

    /// What a token is asked for with; see the properties.
    init(key: Key, transfer: HTTPRequest, allowsMetered: Bool, span: SourceSpan) {
        self.key = key
        self.transfer = transfer
        self.allowsMetered = allowsMetered
        self.span = span
    }

    /// The refresh token that the grant itself is, if it is one.
    var refreshToken: String? { key.parameters.first { $0.name == "refresh_token" }?.value }

    /// The request for a first token.
    var request: HTTPRequest { request(key.parameters) }

    /// The request for another token by a refresh token. Where no scope is said, it is for the same as the one before
    /// (RFC 6749, section 6).
    func request(refreshing token: String) -> HTTPRequest {
        let fresh = Parameter(name: "refresh_token", value: token)
        if refreshToken == nil {
            return request([Parameter(name: "grant_type", value: "refresh_token"), fresh])
        }
        return request(key.parameters.map { $0.name == fresh.name ? fresh : $0 })
    }

    private func request(_ parameters: [Parameter]) -> HTTPRequest {
        let form = (parameters + key.client.parameters).map { parameter in
            "\(parameter.name)=\(PercentEncoding.form(parameter.value))"
        }
        var request = transfer
        request.method = "POST"
        request.url = key.url
        request.headers = [
            HTTPField(name: "Accept", value: "application/json"),
            HTTPField(name: "User-Agent", value: "waybill/\(WaybillVersion.current)"),
            HTTPField(name: "Content-Type", value: "application/x-www-form-urlencoded"),
        ]
        if let authorization = key.client.authorization {
            request.headers.append(HTTPField(name: "Authorization", value: authorization, isSensitive: true))
        }
        request.body = .bytes(Array(form.joined(separator: "&").utf8))
        return request
    }
}
