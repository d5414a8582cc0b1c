/// A bearer token (RFC 6750).
package struct BearerAuthentication: AuthenticationMethod {
    /// The token.
    package let token: CredentialText

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let token = CredentialText(node, isSecret: true, &decoder) else { return nil }
        self.token = token
    }

    var texts: [CredentialText] { [token] }
    var fieldTexts: [ScalarTemplate] { [token.value] }
}
