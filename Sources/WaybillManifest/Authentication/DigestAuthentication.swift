/// HTTP Digest (RFC 7616). A server asks for the credentials before they are sent.
package struct DigestAuthentication: AuthenticationMethod {
    /// The user name.
    package let username: CredentialText
    /// The password.
    package let password: CredentialText

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let username = CredentialText(node["username"], isSecret: false, &decoder),
            let password = CredentialText(node["password"], isSecret: true, &decoder)
        else { return nil }
        self.username = username
        self.password = password
    }

    var texts: [CredentialText] { [username, password] }
    var isSentByTransport: Bool { true }
}
