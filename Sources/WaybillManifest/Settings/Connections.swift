// How connections are made: `http`, `network`, `reachability`, `traffic`, `redirects`.

package import WaybillDiagnostics
package import WaybillRuntime

extension HTTPVersion: WordSetting {
    package static let key = "http"
}

/// A requirement on the network (`network`).
package enum NetworkRequirement: ReadableSetting {
    package static let key = "network"

    /// The interface that connections use.
    case interface(Spanned<String>)
    /// Whether a metered network, such as a mobile network, is allowed.
    case metered(Bool)

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        if let name = node["interface"], let text = decoder.text(name) { add(.interface(text), name) }
        if let metered = node["metered"], let isAllowed = decoder.boolean(metered) { add(.metered(isAllowed), metered) }
    }

    package var merging: SettingMerging {
        if case .interface = self { .byName("interface") } else { .byName("metered") }
    }
}

/// Whether a connection is tried before requests are sent (`reachability`).
package struct ReachabilitySetting: ValueSetting {
    package static let key = "reachability"
    package let value: Bool
}

extension TrafficClass: WordSetting {
    package static let key = "traffic"
}

/// The maximum number of redirects that are followed (`redirects`); 0 for `false`.
package struct RedirectsSetting: ValueSetting {
    package static let key = "redirects"
    /// The number if none is specified.
    package static let `default` = 10
    package let value: Int

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> Int? {
        decoder.boolean(node) == false ? 0 : decoder.integer(node)
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var http: Setting<HTTPVersion>? { self[HTTPVersion.self] }
    /// The network interface that connections use.
    package var interface: Setting<Spanned<String>>? {
        last(NetworkRequirement.self) { if case .interface(let name) = $0 { name } else { nil } }
    }
    /// Whether a metered network is allowed.
    package var allowsMetered: Setting<Bool>? {
        last(NetworkRequirement.self) { if case .metered(let isAllowed) = $0 { isAllowed } else { nil } }
    }
    package var reachability: Setting<ReachabilitySetting.Value>? { self[ReachabilitySetting.self] }
    package var traffic: Setting<TrafficClass>? { self[TrafficClass.self] }
    package var redirects: Setting<RedirectsSetting.Value>? { self[RedirectsSetting.self] }
}
