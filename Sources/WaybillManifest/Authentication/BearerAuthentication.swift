/// A bearer token (RFC 6750).
package struct BearerAuthentication: AuthenticationMethod {
    package static let key = "bearer"

    package let token: CredentialText

    package init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let token = CredentialText(node, isSecret: true, &decoder) else { return nil }
        self.token = token
    }

    package var texts: [CredentialText] { [token] }
    package var fieldTexts: [ScalarTemplate] { [token.value] }
}
