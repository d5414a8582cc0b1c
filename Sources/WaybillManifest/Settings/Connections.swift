// How connections are made: `http`, `network`, `reachability`, `traffic`, `redirects`.

package import WaybillDiagnostics
package import WaybillRuntime

extension HTTPVersion: WordSetting {
    package static let key = "http"
}

/// Requirements on the network (`network`).
package struct NetworkRequirement: WholeSetting {
    package static let key = "network"
    /// The interface that connections use.
    package let interface: Spanned<String>?
    /// Whether a metered network, such as a mobile network, is allowed.
    package let allowsMetered: Bool

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        interface = node["interface"].flatMap { decoder.text($0) }
        allowsMetered = node["metered"].flatMap { decoder.boolean($0) } ?? true
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
    package var network: Setting<NetworkRequirement>? { self[NetworkRequirement.self] }
    package var reachability: Setting<ReachabilitySetting.Value>? { self[ReachabilitySetting.self] }
    package var traffic: Setting<TrafficClass>? { self[TrafficClass.self] }
    package var redirects: Setting<RedirectsSetting.Value>? { self[RedirectsSetting.self] }
}
