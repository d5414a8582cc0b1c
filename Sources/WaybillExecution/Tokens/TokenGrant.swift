import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
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
        /// The path of the file that keeps the token.
        let store: String?
    }

    let key: Key
    /// How it is written in the manifest.
    let method: OAuth2Authentication
    /// The values of its fields.
    let texts: [OAuth2Authentication.Field.Name: String]
    /// The file that keeps the tokens between runs.
    let file: TokenFile?
    /// The transfer options of requests for a token, as a request without their content.
    let transfer: HTTPRequest
    /// Whether the request may go over a mobile network.
    let allowsMetered: Bool
    /// The location of the token endpoint in the manifest.
    let span: SourceSpan

    /// A grant; see the properties.
    init(
        key: Key,
        method: OAuth2Authentication,
        texts: [OAuth2Authentication.Field.Name: String],
        file: TokenFile?,
        transfer: HTTPRequest,
        allowsMetered: Bool,
        span: SourceSpan
    ) {
        self.key = key
        self.method = method
        self.texts = texts
        self.file = file
        self.transfer = transfer
        self.allowsMetered = allowsMetered
        self.span = span
    }

    /// The refresh token of the grant itself, if it has one.
    var refreshToken: String? { parameter("refresh_token") }

    /// A parameter of the grant.
    func parameter(_ name: String) -> String? { key.parameters.first { $0.name == name }?.value }

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

    /// A request with other parameters, to the token endpoint or to another one.
    func request(_ parameters: [(name: String, value: String)], to url: String? = nil) -> HTTPRequest {
        var request = request(parameters.map { Parameter(name: $0.name, value: $0.value) })
        if let url { request.url = url }
        return request
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
