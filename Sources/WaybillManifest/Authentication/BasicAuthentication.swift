import WaybillDiagnostics

/// HTTP Basic (RFC 7617).
package struct BasicAuthentication: AuthenticationMethod {
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
        guard username.value.constantText?.utf8.contains(UInt8(ascii: ":")) == true else { return }
        decoder.report(
            Diagnostic(
                "invalid-value",
                "a user name with ':' cannot be sent: in basic credentials the password begins after the first one",
                at: username.value.span,
                help: ["See RFC 7617, section 2. Servers that allow such names use another kind of 'auth'."]
            )
        )
    }

    var texts: [CredentialText] { [username, password] }
}
