// How connections are made: `http`, `network`, `reachability`, `traffic`, `redirects`.

package import WaybillDiagnostics

/// The version of HTTP (`http`).
package enum HTTPVersion: String, WordSetting, CaseIterable {
    package static let key = "http"

    /// HTTP/2 if it is negotiated in TLS, otherwise HTTP/1.1.
    case auto
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2, negotiated in TLS.
    case http2 = "2"
    /// HTTP/2 with prior knowledge, also without TLS (RFC 9113, section 3.3).
    case http2PriorKnowledge = "2-prior-knowledge"
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

/// The traffic class with which packets are marked (`traffic`; RFC 4594).
package enum TrafficClass: String, WordSetting, CaseIterable {
    package static let key = "traffic"

    case `default`, background, responsive, video, voice
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

extension Settings {
    /// The version of HTTP.
    package var http: Setting<HTTPVersion>? { last(HTTPVersion.self) }
    /// The requirements on the network.
    package var network: Setting<NetworkRequirement>? { last(NetworkRequirement.self) }
    /// Whether a connection is tried before requests are sent.
    package var reachability: Setting<Bool>? { value(ReachabilitySetting.self) }
    /// The traffic class with which packets are marked.
    package var traffic: Setting<TrafficClass>? { last(TrafficClass.self) }
    /// The maximum number of redirects that are followed.
    package var redirects: Setting<Int>? { value(RedirectsSetting.self) }
}
