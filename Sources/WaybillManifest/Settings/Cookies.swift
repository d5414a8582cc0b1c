// How a run keeps the cookies of earlier responses: `cookies`.

package import WaybillDiagnostics

/// Where cookies are kept (`cookies`).
package enum CookiePolicy: WholeSetting {
    package static let key = "cookies"

    /// They are kept in the jar of the run.
    case on
    /// They are neither kept nor sent.
    case off
    /// They are read from and written to a file in Netscape's format.
    case jar(Spanned<String>)

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        if let jar = node["jar"] {
            guard let path = decoder.text(jar) else { return nil }
            self = .jar(path)
        } else {
            guard let isOn = decoder.boolean(node) else { return nil }
            self = isOn ? .on : .off
        }
    }

    package var originPolicy: OriginPolicy {
        switch self {
        case .on, .off: .any
        case .jar: .credential
        }
    }

    package var namedFiles: [NamedFile] {
        switch self {
        case .on, .off: []
        case .jar(let path): [NamedFile(path: path, kind: .jar)]
        }
    }
}

extension Settings {
    /// Where cookies are kept.
    package var cookies: Setting<CookiePolicy>? { last(CookiePolicy.self) }
}
