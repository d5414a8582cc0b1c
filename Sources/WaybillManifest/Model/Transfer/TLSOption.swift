package import WaybillDiagnostics

/// One rule of TLS.
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
    /// What the server must show one of: `sha256//BASE64`, or a certificate file.
    case pins([Spanned<String>])
    /// How pins are compared.
    case pinMode(PinMode)
    /// The client's certificate, a file.
    case certificate(Spanned<String>)
    /// The key of the client's certificate, a file.
    case key(Spanned<String>)
    /// The least version, such as `1.2`.
    case minVersion(String)
}
