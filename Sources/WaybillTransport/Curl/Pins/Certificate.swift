import WaybillFormats
import WaybillJSON

/// An X.509 certificate: its digests and its information about the server.
struct Certificate: Sendable, Hashable {
    /// The SHA-256 digest of the whole certificate.
    let digest: [UInt8]
    /// The SHA-256 digest of its public key (the SubjectPublicKeyInfo).
    let publicKeyDigest: [UInt8]
    /// The names and the expiry date in the certificate; nil if they cannot be parsed.
    let server: ServerCertificate?

    private static let sequence: UInt8 = 0x30
    private static let version: UInt8 = 0xA0

    /// Parses a certificate in DER; nil if the bytes are not one.
    init?(der bytes: [UInt8]) {
        // RFC 5280, section 4.1: Certificate { TBSCertificate { [0] version, serialNumber, signature, issuer, validity,
        // subject, subjectPublicKeyInfo, … }, … }, of which the version may be missing.
        guard let certificate = DERElement(bytes[...]), certificate.tag == Self.sequence,
            certificate.whole.count == bytes.count,
            let signed = certificate.children.first, signed.tag == Self.sequence
        else { return nil }
        let fields = signed.children
        let index = fields.first?.tag == Self.version ? 6 : 5
        guard fields.indices.contains(index), fields[index].tag == Self.sequence else { return nil }
        digest = Digest.value(of: bytes, .sha256)
        server = ServerCertificate(fields: fields[(index - 5)...])
        publicKeyDigest = Digest.value(of: Array(fields[index].whole), .sha256)
    }

    /// Returns the certificates in the content of a file, which is PEM with any number of them or a single one in DER.
    static func all(in content: [UInt8]) -> [Certificate] {
        if let certificate = Certificate(der: content) { return [certificate] }
        var found: [Certificate] = []
        var block: String?
        for line in String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN CERTIFICATE-----") {
                block = ""
            } else if line.hasPrefix("-----END CERTIFICATE-----") {
                if let der = block.flatMap({ Base64.decode($0) }), let certificate = Certificate(der: der) {
                    found.append(certificate)
                }
                block = nil
            } else {
                block?.append(contentsOf: line.filter { !$0.isWhitespace })
            }
        }
        return found
    }
}
