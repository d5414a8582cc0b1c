import WaybillDiagnostics

/// HTTP Basic (RFC 7617).
package struct BasicAuthentication: AuthenticationMethod {
    package static let key = "basic"

    /// The user name and the password.
    package let user: UserCredentials

    package init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let user = UserCredentials(node, &decoder) else { return nil }
        self.user = user
        let username = user.username
        guard username.value.constantText?.utf8.contains(UInt8(ascii: ":")) == true else { return }
        decoder.diagnostics.report(
            "invalid-value",
            "a user name with ':' cannot be sent: in basic credentials, the password starts after the first ':'",
            at: username.value.span,
            help: ["See RFC 7617, section 2. Servers that allow such names use another kind of 'auth'."]
        )
    }

    package var texts: [CredentialText] { user.texts }
}
