/// How requests prove who sends them.
package enum Authentication: Sendable {
    /// No credentials.
    case none
    /// HTTP Basic (RFC 7617).
    case basic(username: ScalarTemplate, password: ScalarTemplate)
    /// A bearer token (RFC 6750).
    case bearer(ScalarTemplate)
    /// A key in a header field or a query parameter.
    case apiKey(place: APIKeyPlace, name: String, value: ScalarTemplate)

    /// Where an API key goes.
    package enum APIKeyPlace: String, Sendable {
        /// A header field.
        case header
        /// A query parameter.
        case query
    }

    /// The templates and constants that the credentials are made of.
    package var scalars: [ScalarTemplate] {
        switch self {
        case .none: []
        case .basic(let username, let password): [username, password]
        case .bearer(let token): [token]
        case .apiKey(_, _, let value): [value]
        }
    }
}
