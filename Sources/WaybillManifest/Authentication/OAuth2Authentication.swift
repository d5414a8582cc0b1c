/// An OAuth 2.0 token (RFC 6749), fetched when it is first needed.
package struct OAuth2Authentication: AuthenticationMethod {
    package static let key = "oauth2"

    /// The grants (RFC 6749, sections 4.3, 4.4 and 6).
    package enum Grant: String, Sendable, CaseIterable {
        case clientCredentials = "client_credentials"
        case password
        case refreshToken = "refresh_token"
    }

    /// A parameter of the token request.
    package struct Field: Sendable {
        /// The names of the fields in the manifest.
        package enum Name: String, Sendable, CaseIterable {
            case tokenURL, clientId, clientSecret, username, password, refreshToken, scope, audience

            fileprivate var isSecret: Bool {
                switch self {
                case .clientSecret, .password, .refreshToken: true
                case .tokenURL, .clientId, .username, .scope, .audience: false
                }
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

    package init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let grant: Grant = node["grant"].flatMap({ decoder.word($0) }) else { return nil }
        var fields: [Field] = []
        for name in Field.Name.allCases {
            guard let value = node[name.rawValue] else { continue }
            for element in value.sequence ?? [value] {
                guard let text = CredentialText(element, isSecret: name.isSecret, &decoder) else { continue }
                if name == .tokenURL, let error = WrittenAddress(text.value).urlError {
                    decoder.report(error, at: text.value.span)
                }
                fields.append(Field(name: name, text: text))
            }
        }
        self.grant = grant
        self.fields = fields
        sendsClientInBody = node["clientAuth"]?.text == "body"
    }

    /// The URL of the token endpoint.
    package var tokenURL: ScalarTemplate? { fields.first { $0.name == .tokenURL }?.text.value }

    package var texts: [CredentialText] { fields.map(\.text) }
}
