import WaybillTransport

/// A bearer token (RFC 6750), as a token endpoint gave it.
struct AccessToken: Sendable {
    /// The token.
    var text: String
    /// What another one can be had with.
    var refreshToken: String?
    /// The time of the run from which on another one is to be had, a little before this one ends; `nil`: it does not.
    var renewalTime: Duration?
}

/// A token that a request is sent with.
struct HeldToken: Sendable {
    /// What it was asked for with.
    let grant: TokenGrant
    /// The token, and which of its grant's it is.
    let held: SharedValues<TokenGrant.Key, AccessToken>.Held

    /// The field that shows it to a server (RFC 6750, section 2.1).
    var field: HTTPField {
        HTTPField(name: "Authorization", value: "Bearer \(held.value.text)", isSensitive: true)
    }
}
