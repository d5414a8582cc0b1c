/// A method of authentication: how it is read, which texts it has, and where its credentials are sent.
///
/// Each method is defined in a file of this folder, and `Authentication` lists all of them. To add a method, copy a neighbour,
/// add it there and to the schema, and send it in `RequestBuilder.authenticate`.
protocol AuthenticationMethod: Sendable {
    /// Reads the value of the method's key; `nil` where a part cannot be read, which the schema or the decoder reports.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)

    /// The texts of the credentials.
    var texts: [CredentialText] { get }

    /// Where a request has the credentials.
    var location: CredentialLocation { get }

    /// Whether the transport sends the credentials, after a server has asked for them.
    var isSentByTransport: Bool { get }

    /// The files that it names.
    var namedFiles: [NamedFile] { get }

    /// The texts that are sent in header fields as they are.
    var fieldTexts: [ScalarTemplate] { get }
}

extension AuthenticationMethod {
    var location: CredentialLocation { .header("Authorization") }
    var isSentByTransport: Bool { false }
    var namedFiles: [NamedFile] { [] }
    var fieldTexts: [ScalarTemplate] { [] }
}

/// Where a request has its credentials.
enum CredentialLocation: Sendable {
    /// In a header field.
    case header(String)
    /// In a query parameter.
    case query(String)
    /// In a cookie.
    case cookie
}

/// A text that is a part of credentials.
package struct CredentialText: Sendable {
    /// The text.
    package let value: ScalarTemplate
    /// Whether it is a secret even if no secret takes part in it.
    package let isSecret: Bool

    /// Reads a text; `nil` if the node is missing or not a scalar.
    init?(_ node: YAMLNode?, isSecret: Bool, _ decoder: inout ManifestDecoder) {
        guard let value = node.flatMap({ decoder.scalarTemplate($0) }) else { return nil }
        self.value = value
        self.isSecret = isSecret
    }
}

/// A user name with its password: the keys of `basic` and `digest`.
package struct UserCredentials: Sendable {
    /// The user name.
    package let username: CredentialText
    /// The password.
    package let password: CredentialText

    /// Reads both from a mapping; `nil` where one of them is missing or cannot be read.
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
