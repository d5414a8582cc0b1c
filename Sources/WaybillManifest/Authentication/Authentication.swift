package import WaybillContract
import WaybillDiagnostics
import WaybillJSON

/// How requests authenticate (`auth`).
package struct Authentication: WholeSetting {
    package static let key = "auth"

    static let methods: [any AuthenticationMethod.Type] = [
        BasicAuthentication.self, DigestAuthentication.self, BearerAuthentication.self, APIKeyAuthentication.self,
        AWSAuthentication.self, OAuth2Authentication.self, NetrcAuthentication.self,
    ]

    /// The method; `nil` for `none`.
    package let method: (any AuthenticationMethod)?
    /// Keys that are sent with the credentials of the method: an operation of an OpenAPI document may require several
    /// credentials at once.
    package private(set) var keys: [APIKeyAuthentication] = []

    private var all: [any AuthenticationMethod] { [method].compactMap { $0 } + keys }

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let (key, value) = node.entries.first else {
            guard node.text == "none" else { return nil }
            method = nil
            return
        }
        guard let type = Self.methods.first(where: { $0.key == key.text }), let method = type.init(value, &decoder)
        else { return nil }
        self.method = method
    }

    /// Returns credentials that one request has together; `nil` if more than one of them is not a key.
    package static func combined(_ credentials: [Authentication]) -> Authentication? {
        let others = credentials.filter { !($0.method is APIKeyAuthentication) }
        guard others.count <= 1, var combined = others.first ?? credentials.first else { return nil }
        let keys = credentials.compactMap { $0.method as? APIKeyAuthentication }
        combined.keys = others.isEmpty ? Array(keys.dropFirst()) : keys
        return combined
    }

    /// Whether a setting is the header field or query parameter that carries these credentials. If a request has both,
    /// the one at the nearer level is sent.
    func isSent(in value: any SettingDefinition) -> Bool {
        all.contains { method in
            switch method.location {
            case .header(let name): (value as? HeaderSetting)?.isNamed(name) ?? false
            case .query(let name): (value as? QuerySetting)?.name.value.hasSameCodePoints(as: name) ?? false
            case .cookie: false
            }
        }
    }

    package func visitUses(_ visitor: UseVisitor) {
        for text in all.flatMap(\.texts) { visitor.scalar(text.value, .sending, .credential) }
    }

    package var originPolicy: OriginPolicy { .credential }
    package var namedFiles: [NamedFile] { all.flatMap(\.namedFiles) }
    package var fieldTexts: [ScalarTemplate] { all.flatMap(\.fieldTexts) }
}

/// A method of authentication: how it is read, which strings it consists of, and where its credentials are sent.
///
/// Each method is defined in a file of this folder; `Authentication.methods` lists them all. To add a method, copy a
/// neighboring file, add the method to the list and to the schema, and send it in `RequestBuilder.authenticate`.
package protocol AuthenticationMethod: Sendable {
    /// The key that the method is written under.
    static var key: String { get }

    /// Reads the value of the method's key; `nil` if a part cannot be read, which the schema or the decoder reports.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)

    /// The strings of the credentials.
    var texts: [CredentialText] { get }

    /// Where a request carries the credentials.
    var location: CredentialLocation { get }

    /// The files that the method names.
    var namedFiles: [NamedFile] { get }

    /// The strings that are sent unchanged in header fields.
    var fieldTexts: [ScalarTemplate] { get }
}

extension AuthenticationMethod {
    package var location: CredentialLocation { .header("Authorization") }
    package var namedFiles: [NamedFile] { [] }
    package var fieldTexts: [ScalarTemplate] { [] }
}

/// Where a request carries its credentials.
package enum CredentialLocation: Sendable {
    /// In a header field.
    case header(String)
    /// In a query parameter.
    case query(String)
    case cookie
}

/// A string that is part of credentials.
package struct CredentialText: Sendable {
    /// The string.
    package let value: ScalarTemplate
    /// Whether the string is a secret even if it does not depend on one.
    package let isSecret: Bool

    /// Reads a string; `nil` if the node is missing or not a scalar.
    init?(_ node: YAMLNode?, isSecret: Bool, _ decoder: inout ManifestDecoder) {
        guard let value = node.flatMap({ decoder.scalarTemplate($0) }) else { return nil }
        self.value = value
        self.isSecret = isSecret
    }
}

/// A user name and its password: the keys of `basic` and `digest`.
package struct UserCredentials: Sendable {
    /// The user name.
    package let username: CredentialText
    package let password: CredentialText

    /// Reads both from a mapping; `nil` if one of them is missing or cannot be read.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let username = CredentialText(node["username"], isSecret: false, &decoder),
            let password = CredentialText(node["password"], isSecret: true, &decoder)
        else { return nil }
        self.username = username
        self.password = password
    }

    /// The user name, then the password.
    var texts: [CredentialText] { [username, password] }
}

/// The settings of this file, looked up.
extension Settings {
    package var auth: Setting<Authentication>? { self[Authentication.self] }
}

extension Authentication {
    /// Returns the keys of the methods that a security scheme of an OpenAPI document accepts; `nil` for all.
    package static func keys(for scheme: OpenAPIDocument.SecurityScheme) -> [String]? {
        switch scheme {
        case .http("basic"): [BasicAuthentication.key, NetrcAuthentication.key]
        case .http("digest"): [DigestAuthentication.key]
        case .http("bearer"), .token: [BearerAuthentication.key, OAuth2Authentication.key]
        case .apiKey: [APIKeyAuthentication.key]
        case .http, .other: nil
        }
    }

    /// Returns what a security scheme of an OpenAPI document requires, if these credentials are others.
    package func mismatch(with scheme: OpenAPIDocument.SecurityScheme) -> String? {
        guard let method else { return nil }
        var fits = Self.keys(for: scheme)?.contains(type(of: method).key) ?? true
        if case .apiKey(let part, let name) = scheme, let key = method as? APIKeyAuthentication {
            fits = key.position.rawValue == part && key.name.value.lowercased() == name.lowercased()
        }
        if fits { return nil }
        return switch scheme {
        case .http(let name): "http \(name): write '\(name): …'"
        case .token: "a token: write 'bearer: …' or 'oauth2: …'"
        case .apiKey(let part, let name):
            "a key in '\(part)' with the name '\(name)': write 'apiKey: {in: \(part), name: \(name), value: …}'"
        case .other: "another one"
        }
    }
}
