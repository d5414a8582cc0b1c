package import WaybillDiagnostics

/// Credentials by host from a netrc file.
package struct NetrcAuthentication: AuthenticationMethod {
    package static let key = "netrc"

    /// The path of the file.
    package let path: Spanned<String>

    package init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let path = decoder.text(node) else { return nil }
        self.path = path
    }

    package var texts: [CredentialText] { [] }

    /// The netrc file.
    package var file: NamedFile { NamedFile(path: path, kind: .netrc) }
    package var namedFiles: [NamedFile] { [file] }
}
