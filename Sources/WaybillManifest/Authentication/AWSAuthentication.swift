/// AWS Signature Version 4.
package struct AWSAuthentication: AuthenticationMethod {
    package static let key = "awsSigV4"

    package let region: CredentialText
    package let service: CredentialText
    /// The access key ID.
    package let accessKey: CredentialText
    /// The secret access key.
    package let secretKey: CredentialText
    /// The session token of temporary credentials.
    package let sessionToken: CredentialText?

    package init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let region = CredentialText(node["region"], isSecret: false, &decoder),
            let service = CredentialText(node["service"], isSecret: false, &decoder),
            let accessKey = CredentialText(node["accessKey"], isSecret: false, &decoder),
            let secretKey = CredentialText(node["secretKey"], isSecret: true, &decoder)
        else { return nil }
        self.region = region
        self.service = service
        self.accessKey = accessKey
        self.secretKey = secretKey
        sessionToken = CredentialText(node["sessionToken"], isSecret: true, &decoder)
    }

    package var texts: [CredentialText] { [region, service, accessKey, secretKey] + [sessionToken].compactMap { $0 } }
}
