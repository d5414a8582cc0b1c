import WaybillDiagnostics
import WaybillJSON

/// How requests authenticate (`auth`).
package struct Authentication: WholeSetting {
    package static let key = "auth"

    /// The methods.
    static let methods: [any AuthenticationMethod.Type] = [
        BasicAuthentication.self, DigestAuthentication.self, BearerAuthentication.self, APIKeyAuthentication.self,
        AWSAuthentication.self, OAuth2Authentication.self, NetrcAuthentication.self,
    ]

    /// The method; `nil` for `none`.
    package let method: (any AuthenticationMethod)?

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let (key, value) = node.mapping?.entries.first else {
            guard node.text == "none" else { return nil }
            method = nil
            return
        }
        guard let type = Self.methods.first(where: { $0.key == key.text }), let method = type.init(value, &decoder)
        else { return nil }
        self.method = method
    }

    /// Whether a setting is the header field or query parameter that carries these credentials. If a request has both,
    /// the one at the nearer level is sent.
    func isSent(in value: any SettingDefinition) -> Bool {
        switch method?.location {
        case .header(let name):
            (value as? HeaderSetting)?.isNamed(name) ?? false
        case .query(let name):
            (value as? QuerySetting)?.name.value.hasSameCodePoints(as: name) ?? false
        case .cookie, nil: false
        }
    }

    package func visitUses(_ visitor: UseVisitor) {
        for text in method?.texts ?? [] { visitor.scalar(text.value, .sending, .credential) }
    }

    package var originPolicy: OriginPolicy { .credential }
    package var namedFiles: [NamedFile] { method?.namedFiles ?? [] }
    package var fieldTexts: [ScalarTemplate] { method?.fieldTexts ?? [] }
}

extension Settings {
    /// Credentials.
    package var auth: Setting<Authentication>? { last(Authentication.self) }
}
