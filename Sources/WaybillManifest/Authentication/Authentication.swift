import WaybillDiagnostics
import WaybillJSON

/// How requests authenticate (`auth`).
package enum Authentication: Sendable {
    /// No credentials.
    case none
    case basic(BasicAuthentication)
    case digest(DigestAuthentication)
    case bearer(BearerAuthentication)
    case apiKey(APIKeyAuthentication)
    case awsSigV4(AWSAuthentication)
    case oauth2(OAuth2Authentication)
    case netrc(NetrcAuthentication)

    /// The keys of the methods.
    enum Key: String, CaseIterable {
        case basic, digest, bearer, apiKey, awsSigV4, oauth2, netrc
    }

    /// The definition of the method; `nil` for `none`.
    private var method: (any AuthenticationMethod)? {
        switch self {
        case .none: nil
        case .basic(let method): method
        case .digest(let method): method
        case .bearer(let method): method
        case .apiKey(let method): method
        case .awsSigV4(let method): method
        case .oauth2(let method): method
        case .netrc(let method): method
        }
    }

    /// Whether a setting is the header field or query parameter that carries these credentials. If a request has both,
    /// the one at the nearer level is sent.
    func isSent(in value: SettingValue) -> Bool {
        switch method?.location {
        case .header(let name):
            if case .headers(let field) = value { field.isNamed(name) } else { false }
        case .query(let name):
            if case .query(let parameter) = value { parameter.name.value.hasSameCodePoints(as: name) } else { false }
        case .cookie, nil: false
        }
    }
}

extension Authentication: WholeSetting {
    static let key = SettingName.auth

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let (name, value) = node.mapping?.entries.first else {
            guard node.text == "none" else { return nil }
            self = .none
            return
        }
        guard let key: Key = decoder.word(name) else { return nil }
        let authentication: Authentication? =
            switch key {
            case .basic: BasicAuthentication(value, &decoder).map(Authentication.basic)
            case .digest: DigestAuthentication(value, &decoder).map(Authentication.digest)
            case .bearer: BearerAuthentication(value, &decoder).map(Authentication.bearer)
            case .apiKey: APIKeyAuthentication(value, &decoder).map(Authentication.apiKey)
            case .awsSigV4: AWSAuthentication(value, &decoder).map(Authentication.awsSigV4)
            case .oauth2: OAuth2Authentication(value, &decoder).map(Authentication.oauth2)
            case .netrc: NetrcAuthentication(value, &decoder).map(Authentication.netrc)
            }
        guard let authentication else { return nil }
        self = authentication
    }

    func visitUses(_ visitor: UseVisitor) {
        for text in method?.texts ?? [] { visitor.scalar(text.value, .sending, .credential) }
    }

    var originPolicy: OriginPolicy { .credential }
    var namedFiles: [NamedFile] { method?.namedFiles ?? [] }
    var fieldTexts: [ScalarTemplate] { method?.fieldTexts ?? [] }
}

extension Settings {
    /// Credentials.
    package var auth: Setting<Authentication>? { last(Authentication.self) }
}
