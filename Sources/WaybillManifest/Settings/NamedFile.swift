package import WaybillDiagnostics
package import WaybillRuntime

/// A file that settings name: one that is sent or read, the cookie jar, or the folder of the cache.
package struct NamedFile {
    /// The contents of the file.
    package enum Kind {
        /// A part of a request's body.
        case body
        /// Certificates and keys.
        case tls
        /// Credentials by host.
        case netrc
        /// The value of a secret.
        case secret
        /// Tokens, read and written.
        case tokens
        /// Cookies, read and written.
        case jar
        /// The data of an earlier response, which is also written.
        case snapshot
        /// A folder of stored responses, or of unfinished downloads, read and written.
        case cache
    }

    /// The path, relative to the folder of the file that names it.
    package let path: Spanned<String>
    /// The contents of the file.
    package let kind: Kind

    /// Creates a file that a setting names.
    package init(path: Spanned<String>, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// The path for opening the file.
    package var location: String {
        FileContents.path(path.value, in: FileContents.folder(of: path.span.file.name))
    }

    /// Returns the file for opening it within a boundary.
    package func file(within boundary: FolderBoundary) -> LocalFile {
        LocalFile(location, within: isOfMachine ? .anywhere : boundary)
    }

    /// Whether the file belongs to the machine rather than to the manifest: certificates, netrc files and secrets with an
    /// absolute path, because programs keep them in fixed locations.
    private var isOfMachine: Bool {
        switch kind {
        case .tls, .netrc, .secret: path.value.hasPrefix("/")
        case .body, .tokens, .jar, .snapshot, .cache: false
        }
    }

    /// What messages call the file.
    package var words: String {
        switch kind {
        case .body: "file"
        case .tls: "TLS file"
        case .netrc: "netrc file"
        case .secret: "file of a secret"
        case .tokens: "token file"
        case .jar: "cookie jar"
        case .snapshot: "snapshot"
        case .cache: "cache folder"
        }
    }
}
