package import WaybillDiagnostics

/// How requests prove who sends them.
package enum Authentication: Sendable {
    /// No credentials.
    case none
    /// HTTP Basic (RFC 7617).
    case basic(username: ScalarTemplate, password: ScalarTemplate)
    /// HTTP Digest (RFC 7616).
    case digest(username: ScalarTemplate, password: ScalarTemplate)
    /// A bearer token (RFC 6750).
    case bearer(ScalarTemplate)
    /// A key in a header field, a query parameter or a cookie.
    case apiKey(place: APIKeyPlace, name: Spanned<String>, value: ScalarTemplate)
    /// AWS Signature Version 4.
    case awsSigV4(AWSSignature)
    /// A token by OAuth 2.0 (RFC 6749), got when it is first needed.
    case oauth2(OAuth2)
    /// Credentials by host, from a netrc file.
    case netrc(Spanned<String>)

    /// Where an API key goes.
    package enum APIKeyPlace: String, Sendable, CaseIterable {
        /// A header field.
        case header
        /// A query parameter.
        case query
        /// A cookie.
        case cookie
    }

    /// What a request is signed with for AWS.
    package struct AWSSignature: Sendable {
        /// The region.
        package var region: ScalarTemplate
        /// The service.
        package var service: ScalarTemplate
        /// The id of the key.
        package var accessKey: ScalarTemplate
        /// The key.
        package var secretKey: ScalarTemplate
        /// The token of a session.
        package var sessionToken: ScalarTemplate?
    }

    /// How a token is got by OAuth 2.0.
    package struct OAuth2: Sendable {
        /// The grants (RFC 6749, sections 4.3, 4.4 and 6).
        package enum Grant: String, Sendable, CaseIterable {
            case clientCredentials = "client_credentials"
            case password
            case refreshToken = "refresh_token"
        }

        /// The grant.
        package var grant: Grant
        /// What is sent to the token endpoint, by the manifest's names (`tokenURL`, `clientId`, …). A list of scopes is
        /// a field for each, which are sent as one text with spaces between (RFC 6749, section 3.3).
        package var fields: [(name: Spanned<String>, value: ScalarTemplate)]
        /// Whether the client's credentials go into the body instead of the Authorization field.
        package var sendsClientInBody: Bool
    }

    /// The templates and constants that the credentials are made of, those that must stay secret marked.
    package var scalars: [(value: ScalarTemplate, isSecret: Bool)] {
        switch self {
        case .none, .netrc: []
        case .basic(let username, let password), .digest(let username, let password):
            [(username, false), (password, true)]
        case .bearer(let token): [(token, true)]
        case .apiKey(_, _, let value): [(value, true)]
        case .awsSigV4(let signature):
            [
                (signature.region, false), (signature.service, false), (signature.accessKey, false),
                (signature.secretKey, true),
            ] + [signature.sessionToken].compactMap { $0.map { ($0, true) } }
        case .oauth2(let oauth2):
            oauth2.fields.map { ($0.value, ["clientSecret", "password", "refreshToken"].contains($0.name.value)) }
        }
    }
}
