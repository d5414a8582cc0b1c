// What a run keeps of earlier responses: `cookies`, `cache`.

package import WaybillDiagnostics

/// Where cookies are kept (`cookies`).
package enum CookiePolicy: WholeSetting {
    static let key = SettingName.cookies

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

    var originPolicy: OriginPolicy {
        switch self {
        case .on, .off: .any
        case .jar: .credential
        }
    }

    var namedFiles: [NamedFile] {
        switch self {
        case .on, .off: []
        case .jar(let path): [NamedFile(path: path, kind: .jar)]
        }
    }
}

/// How the cache is used, as in the Fetch standard (`cache`).
package enum CacheMode: String, WordSetting, CaseIterable {
    static let key = SettingName.cache

    case `default`
    case noStore = "no-store"
    case reload
    case noCache = "no-cache"
    case forceCache = "force-cache"
    case onlyIfCached = "only-if-cached"
}

extension Settings {
    /// Where cookies are kept.
    package var cookies: Setting<CookiePolicy>? { last(CookiePolicy.self) }
    /// How the cache is used.
    package var cache: Setting<CacheMode>? { last(CacheMode.self) }
}
