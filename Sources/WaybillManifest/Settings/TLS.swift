// Verification of servers and client certificates: `tls`.

package import WaybillDiagnostics

/// One option of TLS (`tls`).
package struct TLSSetting: ReadableSetting {
    package static let key = "tls"
    /// The name under `tls`.
    package let name: TLSOption.Name
    /// The option; `nil` unsets the name.
    package let option: TLSOption?

    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        for (key, value) in node.entries {
            guard let name: TLSOption.Name = decoder.word(key) else { continue }
            if decoder.nonNull(value) == nil {
                add(Self(name: name, option: nil), value)
            } else if let option = TLSOption(name, value, decoder) {
                add(Self(name: name, option: option), value)
            }
        }
    }

    package var merging: SettingMerging { .byName(name.rawValue, isUnset: option == nil) }

    package var originPolicy: OriginPolicy {
        switch name {
        case .certificate, .key: .credential
        case .verify, .verifyHost, .ca, .pins, .pinMode, .minVersion: .any
        }
    }

    package var namedFiles: [NamedFile] { (option?.files ?? []).map { NamedFile(path: $0, kind: .tls) } }
}

/// A value under `tls`.
package enum TLSOption: Sendable {
    /// The names under `tls`.
    package enum Name: String, Sendable, CaseIterable {
        case verify, verifyHost, ca, pins, pinMode, certificate, key, minVersion
    }

    /// How a pin is compared.
    package enum PinMode: String, Sendable, CaseIterable {
        /// The public key of the server's certificate.
        case publicKey
        /// The whole certificate.
        case certificate
    }

    /// Whether the server's certificate is verified.
    case verify(Bool)
    /// Whether the certificate must name the host.
    case verifyHost(Bool)
    /// A file with the certificates that are trusted, in PEM.
    case ca(Spanned<String>)
    /// The pinned keys or certificates, of which the server must have one: `sha256//BASE64`, or a certificate file.
    case pins([Spanned<String>])
    /// How pins are compared.
    case pinMode(PinMode)
    /// The file of the client's certificate.
    case certificate(Spanned<String>)
    /// The file of the client certificate's key.
    case key(Spanned<String>)
    /// The minimum version, such as `1.2`.
    case minVersion(String)

    fileprivate init?(_ name: Name, _ node: YAMLNode, _ decoder: ManifestDecoder) {
        let option: TLSOption? =
            switch name {
            case .verify: decoder.boolean(node).map(TLSOption.verify)
            case .verifyHost: decoder.boolean(node).map(TLSOption.verifyHost)
            case .ca: decoder.text(node).map(TLSOption.ca)
            case .pins: .pins(decoder.texts(in: node))
            case .pinMode: decoder.word(node).map(TLSOption.pinMode)
            case .certificate: decoder.text(node).map(TLSOption.certificate)
            case .key: decoder.text(node).map(TLSOption.key)
            case .minVersion: node.text.map(TLSOption.minVersion)
            }
        guard let option else { return nil }
        self = option
    }

    /// Whether the option disables the verification of the server.
    package var isVerificationOff: Bool {
        switch self {
        case .verify(let isOn), .verifyHost(let isOn): !isOn
        case .ca, .pins, .pinMode, .certificate, .key, .minVersion: false
        }
    }

    fileprivate var files: [Spanned<String>] {
        switch self {
        case .ca(let path), .certificate(let path), .key(let path): [path]
        case .pins(let pins): pins.filter { !$0.value.hasPrefix("sha256//") }
        case .verify, .verifyHost, .pinMode, .minVersion: []
        }
    }
}

/// The settings of this file, looked up.
extension Settings {
    package var tlsOptions: [Setting<TLSOption>] { all(TLSSetting.self, \.option) }
}
