package import WaybillDiagnostics

/// A token by OAuth 2.0 (RFC 6749), fetched when it is first needed.
package struct OAuth2Authentication: AuthenticationMethod {
    /// The grants (RFC 6749, sections 4.3, 4.4 and 6).
    package enum Grant: String, Sendable, CaseIterable {
        case clientCredentials = "client_credentials"
        case password
        case refreshToken = "refresh_token"
    }

    /// A text that the token is fetched with.
    package struct Field: Sendable {
        /// The name in the manifest, such as `tokenURL` or `clientId`.
        package let name: Spanned<String>
        /// The text.
        package let text: CredentialText
    }

    /// The grant.
    package let grant: Grant
    /// The texts that the token is fetched with. A list of scopes is a field for each, which are sent as one string with
    /// spaces between (RFC 6749, section 3.3).
    package let fields: [Field]
    /// Whether the client's credentials are sent in the body instead of in the Authorization field.
    package let sendsClientInBody: Bool

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let grant: Grant = node["grant"].flatMap({ decoder.word($0) }) else { return nil }
        var fields: [Field] = []
        for (name, value) in decoder.named(node) where name.value != "grant" && name.value != "clientAuth" {
            let isSecret = ["clientSecret", "password", "refreshToken"].contains(name.value)
            for element in value.sequence ?? [value] {
                guard let text = CredentialText(element, isSecret: isSecret, &decoder) else { continue }
                if name.value == "tokenURL", let problem = WrittenAddress(text.value).urlProblem {
                    decoder.report(problem, at: text.value.span)
                }
                fields.append(Field(name: name, text: text))
            }
        }
        self.grant = grant
        self.fields = fields
        sendsClientInBody = node["clientAuth"]?.text == "body"
    }

    /// The URL of the token endpoint.
    package var tokenURL: ScalarTemplate? { fields.first { $0.name.value == "tokenURL" }?.text.value }

    var texts: [CredentialText] { fields.map(\.text) }
}
