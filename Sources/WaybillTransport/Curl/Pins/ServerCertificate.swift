package import WaybillFormats

/// The names and the expiry date in a server's certificate.
package struct ServerCertificate: Sendable, Hashable {
    /// The name of the subject, such as `CN=api.example.com, O=Example`.
    package let subject: String
    /// The name of the issuer, in the same form.
    package let issuer: String
    /// The time until which it is valid.
    package let expiresAt: Timestamp
}

extension ServerCertificate {
    /// Creates a certificate from these fields (RFC 5280, section 4.1.2): serialNumber, signature, issuer, validity,
    /// subject, ….
    init?(fields: ArraySlice<DERElement>) {
        let fields = Array(fields.prefix(5))
        guard fields.count == 5, let end = fields[3].children.last.flatMap(Self.time) else { return nil }
        self.init(subject: Self.name(fields[4]), issuer: Self.name(fields[2]), expiresAt: end)
    }

    /// Formats a Name (RFC 5280, section 4.1.2.4) as `CN=api.example.com, O=Example`. An attribute without a short name
    /// is identified by the bytes of its object identifier.
    private static func name(_ element: DERElement) -> String {
        element.children.flatMap(\.children).compactMap { attribute in
            let parts = attribute.children
            guard parts.count == 2 else { return nil }
            let identifier = Array(parts[0].content)
            let name = attributeNames[identifier] ?? identifier.map(String.init).joined(separator: ".")
            // As in RFC 4514, section 2.4, so that no value can look like two attributes.
            let value = String(decoding: parts[1].content, as: UTF8.self).map { character in
                ",+\"\\<>;".contains(character) ? "\\\(character)" : String(character)
            }
            return "\(name)=\(value.joined())"
        }.joined(separator: ", ")
    }

    /// The attributes that have short names in RFC 4514, section 3, and the email address.
    private static let attributeNames: [[UInt8]: String] = [
        [0x55, 4, 3]: "CN", [0x55, 4, 6]: "C", [0x55, 4, 7]: "L", [0x55, 4, 8]: "ST", [0x55, 4, 10]: "O",
        [0x55, 4, 11]: "OU", [0x55, 4, 9]: "STREET", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]: "emailAddress",
    ]

    /// Parses a UTCTime or GeneralizedTime (RFC 5280, section 4.1.2.5), which end with `Z`.
    private static func time(_ element: DERElement) -> Timestamp? {
        var digits = String(decoding: element.content, as: UTF8.self)
        let isShort = element.tag == 0x17
        guard isShort || element.tag == 0x18, digits.utf8.count == (isShort ? 13 : 15), digits.hasSuffix("Z") else {
            return nil
        }
        if isShort { digits = (digits < "5" ? "20" : "19") + digits }
        let parts = [(0, 4), (4, 2), (6, 2), (8, 2), (10, 2), (12, 2)].map { digits.dropFirst($0.0).prefix($0.1) }
        let text = "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z"
        // The year 9999 means that the certificate does not expire (RFC 5280, section 4.1.2.5).
        return Timestamp(rfc3339: text) ?? (parts[0] > "2261" ? Timestamp(nanoseconds: .max) : nil)
    }
}
