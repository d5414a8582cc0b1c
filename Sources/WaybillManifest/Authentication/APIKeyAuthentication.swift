package import WaybillDiagnostics

/// A key in a header field, a query parameter or a cookie.
package struct APIKeyAuthentication: AuthenticationMethod {
    package static let key = "apiKey"

    /// The part of a request that can carry the key.
    package enum Position: String, Sendable, CaseIterable {
        /// In a header field.
        case header
        /// In a query parameter.
        case query
        case cookie
    }

    /// Where the key is sent.
    package let position: Position
    /// The name of the field, parameter or cookie.
    package let name: Spanned<String>
    /// The key.
    package let value: CredentialText

    package init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let position: Position = node["in"].flatMap({ decoder.word($0) }),
            let name = node["name"].flatMap({ decoder.text($0) }),
            let value = CredentialText(node["value"], isSecret: true, &decoder)
        else { return nil }
        self.position = position
        self.name = name
        self.value = value
    }

    package var texts: [CredentialText] { [value] }

    package var location: CredentialLocation {
        switch position {
        case .header: .header(name.value)
        case .query: .query(name.value)
        case .cookie: .cookie
        }
    }

    package var fieldTexts: [ScalarTemplate] {
        switch position {
        case .header, .cookie: [value.value]
        case .query: []
        }
    }
}
