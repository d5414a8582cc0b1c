// Where requests are sent: `baseURL`, `version`, `resolve`, `unixSocket`, `proxy`.

package import WaybillDiagnostics
import WaybillSchema

/// The URL that paths are appended to (`baseURL`).
package struct BaseURLSetting: ValueSetting {
    package static let key = "baseURL"
    package let value: ScalarTemplate

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> ScalarTemplate? {
        guard let url = decoder.scalarTemplate(node) else { return nil }
        if let error = WrittenAddress(url).baseURLError { decoder.report(error, at: node.span) }
        return url
    }

    package func visitUses(_ visitor: UseVisitor) { visitor.scalar(value, .request, .address) }
}

/// An API version, inserted between base URL and path (`version`); empty for none.
package struct VersionSetting: ValueSetting {
    package static let key = "version"
    package let value: ScalarTemplate

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> ScalarTemplate? {
        guard let node = decoder.nonNull(node) else { return ScalarTemplate("", at: node.span) }
        return decoder.scalarTemplate(node)
    }

    package func visitUses(_ visitor: UseVisitor) { visitor.scalar(value, .request, .address) }
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
        if let address, !AddressFormat.isIPv4(address), !AddressFormat.isIPv6(address) {
            decoder.diagnostics.report(
                "invalid-address",
                "this is not an IP address",
                at: node.span,
                help: ["Write for example 127.0.0.1 or ::1."]
            )
        }
    }

    package var merging: SettingMerging { .byName(name.value.lowercased(), isUnset: address == nil) }
}

/// The path of a Unix domain socket that requests are sent to (`unixSocket`).
package struct UnixSocketSetting: ValueSetting {
    package static let key = "unixSocket"
    package let value: String

    /// Reads a path, and reports one that no socket can have.
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> String? {
        // On every system, struct sockaddr_un has room for this many bytes, including the NUL.
        guard let path = node.text, path.utf8.count >= 104 || path.utf8.contains(0) else { return node.text }
        decoder.diagnostics.report(
            "invalid-value",
            path.utf8.contains(0)
                ? "a path cannot contain a NUL character"
                : "a Unix domain socket's path can have at most 103 bytes, but this one has \(path.utf8.count)",
            at: node.span,
            help: ["Use a shorter path, such as that of a link to the socket's folder."]
        )
        return path
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

/// The settings of this file, looked up.
extension Settings {
    package var baseURL: Setting<BaseURLSetting.Value>? { self[BaseURLSetting.self] }
    package var version: Setting<VersionSetting.Value>? { self[VersionSetting.self] }
    package var unixSocket: Setting<UnixSocketSetting.Value>? { self[UnixSocketSetting.self] }
    package var proxy: Setting<ProxySetting>? { self[ProxySetting.self] }
    package var resolve: [Setting<ResolveSetting>] { all(ResolveSetting.self) }
}
