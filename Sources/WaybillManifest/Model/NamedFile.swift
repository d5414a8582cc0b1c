package import WaybillDiagnostics
package import WaybillRuntime

/// A file that settings name and that is read or kept beside the manifest.
package struct NamedFile {
    /// What the file is.
    package enum Sort {
        /// What a request sends.
        case body
        /// Certificates and keys.
        case tls
        /// Credentials by host.
        case netrc
        /// Cookies, read and written.
        case jar
    }

    /// The path, relative to the folder of the file that names it.
    package let path: Spanned<String>
    /// What it is.
    package let sort: Sort

    /// A file that a setting names.
    package init(path: Spanned<String>, sort: Sort) {
        self.path = path
        self.sort = sort
    }

    /// The file as it is opened, in its folder and within a boundary.
    package func file(within boundary: FolderBoundary) -> LocalFile {
        let path = FileContents.path(path.value, in: FileContents.folder(of: path.span.file.name))
        return LocalFile(path, within: isOfMachine ? .anywhere : boundary)
    }

    /// Whether the file belongs to the machine rather than to the manifest: one of the sorts that programs keep at
    /// places of their own, named by an absolute path.
    private var isOfMachine: Bool {
        switch sort {
        case .tls, .netrc: path.value.hasPrefix("/")
        case .body, .jar: false
        }
    }

    /// What people call it.
    package var words: String {
        switch sort {
        case .body: "file"
        case .tls: "file of 'tls'"
        case .netrc: "netrc file"
        case .jar: "cookie jar"
        }
    }
}
