extension TransferOptions {
    /// The TLS settings of a request.
    package struct TLS: Sendable, Hashable {
        /// Whether the server's certificate must be signed by a trusted authority and be valid now.
        package var verifiesPeer = true
        /// Whether the server's certificate must name the URL's host.
        package var verifiesHost = true
        /// A PEM file with the certificates that are trusted, instead of the system's.
        package var certificateAuthorities: String?
        /// The minimum version.
        package var minimumVersion: Version?
        /// The client's certificate: a PEM file, a DER file (`.der`, `.cer`) or a PKCS #12 file (`.p12`, `.pfx`).
        package var clientCertificate: String?
        /// The key of the client's certificate, PEM or DER according to its name; nil if it is in the same file.
        package var clientKey: String?
        /// The pins, one of which the server must match in addition to being verified. Empty for no check.
        package var pins: [Pin] = []

        /// Creates the default settings.
        package init() {}

        /// Identifies the settings that libcurl ignores when it decides whether a request may use an open connection or
        /// resume a TLS session: the client's key and the pins. Nil when neither is set.
        var identity: String? {
            guard clientKey != nil || !pins.isEmpty else { return nil }
            return "\(clientKey.debugDescription) \(pins)"
        }

        /// The first key under `tls` that is set and can only be met by a connection with TLS; nil if there is none.
        package var demand: String? {
            if !pins.isEmpty { return "pins" }
            return minimumVersion != nil ? "minVersion" : certificateAuthorities != nil ? "ca" : nil
        }

        /// A version of TLS.
        package enum Version: String, Sendable, Hashable, CaseIterable {
            case v1_0 = "1.0"
            case v1_1 = "1.1"
            case v1_2 = "1.2"
            case v1_3 = "1.3"
        }

        /// A certificate or public key that is expected: the server's own, or one in its verified chain.
        package enum Pin: Sendable, Hashable {
            /// The SHA-256 digest of a public key (its SubjectPublicKeyInfo, RFC 7469, section 2.4), in Base64.
            case publicKey(sha256: String)
            /// The public key of a certificate in a file, PEM or DER.
            case publicKeyOf(file: String)
            /// The SHA-256 digest of a whole certificate in DER, in Base64.
            case certificateDigest(sha256: String)
            /// The whole certificate in a file, PEM or DER. A PEM file may contain several.
            case certificate(file: String)
        }
    }
}
