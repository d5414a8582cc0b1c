/// HTTP Digest (RFC 7616). A server asks for the credentials before they are sent.
package struct DigestAuthentication: AuthenticationMethod {
    package static let key = "digest"

    /// The user name and the password.
    package let user: UserCredentials

    package init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let user = UserCredentials(node, &decoder) else { return nil }
        self.user = user
    }

    package var texts: [CredentialText] { user.texts }
}
