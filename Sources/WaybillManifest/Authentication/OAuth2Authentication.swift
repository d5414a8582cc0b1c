package import WaybillDiagnostics

/// An OAuth 2.0 token (RFC 6749), fetched when it is first needed.
package struct OAuth2Authentication: AuthenticationMethod {
    package static let key = "oauth2"

    /// The grants (RFC 6749, sections 4.1, 4.3, 4.4 and 6, and RFC 8628).
    package enum Grant: String, Sendable, CaseIterable {
        case clientCredentials = "client_credentials"
        case password
        case refreshToken = "refresh_token"
        case device
        case authorizationCode = "authorization_code"

        /// Whether a user must log in (`waybill login`) before a run.
        package var isInteractive: Bool { self == .device || self == .authorizationCode }
    }

    /// A parameter of the token request.
    package struct Field: Sendable {
        /// The names of the fields in the manifest.
        package enum Name: String, Sendable, CaseIterable {
            case tokenURL, clientId, clientSecret, username, password, refreshToken, scope, audience
            case deviceURL, authorizationURL, revocationURL

            fileprivate var isSecret: Bool { [.clientSecret, .password, .refreshToken].contains(self) }

            /// Whether it is the URL of an endpoint.
            fileprivate var isURL: Bool {
                [.tokenURL, .deviceURL, .authorizationURL, .revocationURL].contains(self)
            }
        }

        package let name: Name
        /// The value.
        package let text: CredentialText
    }

    package let grant: Grant
    /// The parameters of the token request. A list of scopes yields one parameter for each scope; they are sent as one
    /// string, separated by spaces (RFC 6749, section 3.3).
    package let fields: [Field]
    /// Whether the client's credentials are sent in the body instead of in the Authorization field.
    package let sendsClientInBody: Bool
    /// The file that keeps the tokens between runs.
    package let store: NamedFile?
    /// The address on this machine to which the browser is redirected after a login.
    package let redirectURL: Spanned<String>?

    package init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let grant: Grant = node["grant"].flatMap({ decoder.word($0) }) else { return nil }
        var fields: [Field] = []
        for name in Field.Name.allCases {
            guard let value = node[name.rawValue] else { continue }
            for element in value.sequence ?? [value] {
                guard let text = CredentialText(element, isSecret: name.isSecret, &decoder) else { continue }
                if name.isURL, let error = WrittenAddress(text.value).urlError {
                    decoder.report(error, at: text.value.span)
                }
                fields.append(Field(name: name, text: text))
            }
        }
        self.grant = grant
        self.fields = fields
        sendsClientInBody = node["clientAuth"]?.text == "body"
        store = node["store"].flatMap { decoder.text($0) }.map { NamedFile(path: $0, kind: .tokens) }
        redirectURL = node["redirectURL"].flatMap { decoder.text($0) }
    }

    /// The URL of the token endpoint.
    package var tokenURL: ScalarTemplate? { fields.first { $0.name == .tokenURL }?.text.value }

    /// The URLs of all endpoints.
    package var urls: [ScalarTemplate] { fields.filter(\.name.isURL).map(\.text.value) }

    package var texts: [CredentialText] { fields.map(\.text) }
    package var namedFiles: [NamedFile] { store.map { [$0] } ?? [] }
}
