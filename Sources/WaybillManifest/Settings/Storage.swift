// What is kept of responses: `cache`, `cookies`.

package import WaybillDiagnostics
package import WaybillRuntime

/// How requests use the HTTP cache (`cache`): a mode, or an object with a mode, a folder and a size. The default mode
/// of an object is `default`.
package enum CacheSetting: ReadableSetting {
    package static let key = "cache"

    /// How stored responses are used.
    case mode(CacheMode)
    /// The folder that responses are stored in, relative to the manifest.
    case folder(Spanned<String>)
    /// The maximum size of the cache in bytes.
    case maxSize(Int)

    /// The names under `cache`.
    package enum Name: String, Sendable, CaseIterable {
        case mode, folder, maxSize
    }

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        let mode = node.mapping == nil ? node : node["mode"]
        if let mode {
            if let word: CacheMode = decoder.word(mode) { add(.mode(word), mode) }
        } else {
            add(.mode(.default), node)
        }
        if let folder = node["folder"], let path = decoder.text(folder) { add(.folder(path), folder) }
        if let size = node["maxSize"], let bytes = decoder.byteSize(size) { add(.maxSize(bytes), size) }
    }

    /// The name under `cache`.
    private var name: Name {
        switch self {
        case .mode: .mode
        case .folder: .folder
        case .maxSize: .maxSize
        }
    }

    package var merging: SettingMerging { .byName(name.rawValue) }

    package var namedFiles: [NamedFile] {
        switch self {
        case .mode, .maxSize: []
        case .folder(let path): [NamedFile(path: path, kind: .cache)]
        }
    }
}

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
    /// How stored responses are used.
    package var cacheMode: Setting<CacheMode>? {
        last(CacheSetting.self) { if case .mode(let mode) = $0 { mode } else { nil } }
    }
    /// The folder that responses are stored in.
    package var cacheFolder: Setting<Spanned<String>>? {
        last(CacheSetting.self) { if case .folder(let path) = $0 { path } else { nil } }
    }
    /// The maximum size of the cache in bytes.
    package var cacheSize: Setting<Int>? {
        last(CacheSetting.self) { if case .maxSize(let bytes) = $0 { bytes } else { nil } }
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var cookies: Setting<CookiePolicy>? { self[CookiePolicy.self] }
}
