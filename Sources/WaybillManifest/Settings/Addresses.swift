// Where requests are sent: `baseURL`, `version`, `resolve`, `unixSocket`, `proxy`.

package import WaybillDiagnostics
import WaybillSchema

/// The URL that paths are appended to (`baseURL`).
package struct BaseURLSetting: WholeSetting {
    package static let key = "baseURL"
    /// The URL.
    package let url: ScalarTemplate

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let url = decoder.scalarTemplate(node) else { return nil }
        if let error = WrittenAddress(url).baseURLError { decoder.report(error, at: node.span) }
        self.url = url
    }

    package func visitUses(_ visitor: UseVisitor) { visitor.scalar(url, .request, .address) }
}

/// An API version, inserted between base URL and path (`version`).
package struct VersionSetting: WholeSetting {
    package static let key = "version"
    /// The version; empty for none.
    package let text: ScalarTemplate

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let node = decoder.nonNull(node) else {
            text = ScalarTemplate("", at: node.span)
            return
        }
        guard let text = decoder.scalarTemplate(node) else { return nil }
        self.text = text
    }

    package func visitUses(_ visitor: UseVisitor) { visitor.scalar(text, .request, .address) }
}

/// The address that is used for connections to a host and port (`resolve`).
package struct ResolveSetting: ReadableSetting {
    package static let key = "resolve"
    /// The host and the port, as `host:port`.
    package let name: Spanned<String>
    /// The IP address; `nil` unsets the name.
    package let address: String?

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (name, value) in decoder.named(node) { add(Self(name, value, &decoder), value) }
    }

    private init(_ name: Spanned<String>, _ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        self.name = name
        address = decoder.nonNull(node)?.text
        if let port = name.value.split(separator: ":").last, Int(port).map({ (1...65535).contains($0) }) != true {
            decoder.diagnostics.report(
                "invalid-host",
                "'\(port)' is not a port",
                at: name.span,
                help: ["A port is a number from 1 to 65535, as in api.example.com:443."]
            )
        }
        if let address, !AddressFormat.isIPv4(address.utf8[...]), !AddressFormat.isIPv6(address.utf8[...]) {
            decoder.diagnostics.report(
                "invalid-address",
                "this is not an IP address",
                at: node.span,
                help: ["Write for example 127.0.0.1 or ::1."]
            )
        }
    }

    package var merging: SettingMerging { .byName(name.value, isUnset: address == nil) }
}

/// The path of a Unix domain socket that requests are sent to (`unixSocket`).
package struct UnixSocketSetting: WholeSetting {
    package static let key = "unixSocket"
    /// The path.
    package let path: String

    /// Reads a path, and reports one that no socket can have.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let path = node.text else { return nil }
        self.path = path
        // On every system, struct sockaddr_un has room for this many bytes, including the NUL.
        guard path.utf8.count >= 104 || path.utf8.contains(0) else { return }
        decoder.diagnostics.report(
            "invalid-value",
            path.utf8.contains(0)
                ? "a path cannot contain a NUL character"
                : "a Unix domain socket's path can have at most 103 bytes, but this one has \(path.utf8.count)",
            at: node.span,
            help: ["Use a shorter path, such as that of a link to the socket's folder."]
        )
    }

    package var originPolicy: OriginPolicy { .content }
}

/// The proxy of requests (`proxy`).
package enum ProxySetting: WholeSetting {
    package static let key = "proxy"

    /// No proxy.
    case none
    /// The proxy of the usual environment variables.
    case environment
    /// A URL.
    case url(ScalarTemplate)

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        switch node.text {
        case "none": self = .none
        case "environment": self = .environment
        default:
            guard let url = decoder.scalarTemplate(node) else { return nil }
            if let error = WrittenAddress(url).proxyError { decoder.report(error, at: node.span) }
            self = .url(url)
        }
    }

    package func visitUses(_ visitor: UseVisitor) {
        if case .url(let url) = self { visitor.scalar(url, .request, .credential) }
    }
}

extension Settings {
    /// The URL that paths are appended to.
    package var baseURL: Setting<ScalarTemplate>? { last(BaseURLSetting.self)?.map(\.url) }
    /// An API version, inserted between base URL and path.
    package var version: Setting<ScalarTemplate>? { last(VersionSetting.self)?.map(\.text) }
    /// The addresses that are used for connections to a host and port.
    package var resolve: [Setting<ResolveSetting>] { all(ResolveSetting.self) }
    /// The path of a Unix domain socket that requests are sent to.
    package var unixSocket: Setting<String>? { last(UnixSocketSetting.self)?.map(\.path) }
    /// The proxy.
    package var proxy: Setting<ProxySetting>? { last(ProxySetting.self) }
}
