import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillRuntime
import WaybillTransport

/// The grant with which an access token is requested (RFC 6749, section 4), with all values evaluated.
final class TokenGrant: Sendable {
    /// A field of the form that is sent.
    struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    /// How the client authenticates itself (RFC 6749, section 2.3.1).
    struct Client: Sendable, Hashable {
        /// The value of the Authorization field, if the client uses it.
        var authorization: String?
        /// The client's parameters in the form.
        var parameters: [Parameter] = []

        /// A client that sends its secret in the body or in a field. A client without a secret only sends its id.
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

    /// Everything that determines the token. Requests with equal keys share one token.
    struct Key: Sendable, Hashable {
        /// The token endpoint.
        let url: String
        /// The parameters of the grant, including `grant_type`.
        let parameters: [Parameter]
        let client: Client
    }

    let key: Key
    /// The transfer options of requests for a token, as a request without their content.
    let transfer: HTTPRequest
    /// Whether the request may go over a mobile network.
    let allowsMetered: Bool
    /// The location of the token endpoint in the manifest.
    let span: SourceSpan

    /// A grant; see the properties.
    init(key: Key, transfer: HTTPRequest, allowsMetered: Bool, span: SourceSpan) {
        self.key = key
        self.transfer = transfer
        self.allowsMetered = allowsMetered
        self.span = span
    }

    /// The refresh token of the grant itself, if it has one.
    var refreshToken: String? { key.parameters.first { $0.name == "refresh_token" }?.value }

    /// The request for a first token.
    var request: HTTPRequest { request(key.parameters) }

    /// The request for another token by a refresh token. Without a scope, the token has the scope of the previous one
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
