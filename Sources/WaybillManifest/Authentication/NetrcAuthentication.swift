package import WaybillDiagnostics

/// Credentials by host from a netrc file.
package struct NetrcAuthentication: AuthenticationMethod {
    /// The path of the file.
    package let path: Spanned<String>

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let path = decoder.text(node) else { return nil }
        self.path = path
    }

    var texts: [CredentialText] { [] }

    /// The netrc file.
    package var file: NamedFile { NamedFile(path: path, kind: .netrc) }
    var namedFiles: [NamedFile] { [file] }
}
