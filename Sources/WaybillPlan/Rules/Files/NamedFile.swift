import WaybillDiagnostics
import WaybillManifest

extension SettingValue {
    /// The files that the value names for certain.
    var namedFiles: [NamedFile] {
        switch self {
        case .body(let body):
            body.files.compactMap { path in
                path.constantText.map { NamedFile(path: Spanned($0, at: path.span), sort: .body) }
            }
        case .auth(.netrc(let path)): [NamedFile(path: path, sort: .netrc)]
        case .cookies(.jar(let path)): [NamedFile(path: path, sort: .jar)]
        case .tls(_, let option?): option.files.map { NamedFile(path: $0, sort: .tls) }
        default: []
        }
    }
}

extension TLSOption {
    fileprivate var files: [Spanned<String>] {
        switch self {
        case .ca(let path), .certificate(let path), .key(let path): [path]
        case .pins(let pins): pins.filter { !$0.value.hasPrefix("sha256//") }
        case .verify, .verifyHost, .pinMode, .minVersion: []
        }
    }
}
