package import WaybillFormats

/// What the certificate of a server says about it.
package struct ServerCertificate: Sendable, Hashable {
    /// The name that it is for, such as `CN=api.example.com, O=Example`.
    package let subject: String
    /// The name of who issued it, in the same form.
    package let issuer: String
    /// The time until which it is valid.
    package let expiresAt: Timestamp

    /// A certificate; see the properties.
    package init(subject: String, issuer: String, expiresAt: Timestamp) {
        self.subject = subject
        self.issuer = issuer
        self.expiresAt = expiresAt
    }

    /// The certificate with these fields (RFC 5280, section 4.1.2): serialNumber, signature, issuer, validity, subject, ….
    init?(fields: ArraySlice<DERElement>) {
        let fields = Array(fields.prefix(5))
        guard fields.count == 5, let end = fields[3].children.last.flatMap(Self.time) else { return nil }
        self.init(subject: Self.name(fields[4]), issuer: Self.name(fields[2]), expiresAt: end)
    }

    /// `CN=api.example.com, O=Example` for a Name (RFC 5280, section 4.1.2.4); an attribute without a short name has the
    /// bytes of its object identifier.
    private static func name(_ element: DERElement) -> String {
        element.children.flatMap(\.children).compactMap { attribute in
            let parts = attribute.children
            guard parts.count == 2 else { return nil }
            let identifier = Array(parts[0].content)
            let name = attributeNames[identifier] ?? identifier.map(String.init).joined(separator: ".")
            return "\(name)=\(String(decoding: parts[1].content, as: UTF8.self))"
        }.joined(separator: ", ")
    }

    /// The attributes of names that RFC 4514, section 3, has short names for, and the address of an email.
    private static let attributeNames: [[UInt8]: String] = [
        [0x55, 4, 3]: "CN", [0x55, 4, 6]: "C", [0x55, 4, 7]: "L", [0x55, 4, 8]: "ST", [0x55, 4, 10]: "O",
        [0x55, 4, 11]: "OU", [0x55, 4, 9]: "STREET", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]: "emailAddress",
    ]

    /// A UTCTime or GeneralizedTime (RFC 5280, section 4.1.2.5), which end with `Z`.
    private static func time(_ element: DERElement) -> Timestamp? {
        var digits = String(decoding: element.content, as: UTF8.self)
        let isShort = element.tag == 0x17
        guard isShort || element.tag == 0x18, digits.utf8.count == (isShort ? 13 : 15), digits.hasSuffix("Z") else {
            return nil
        }
        if isShort { digits = (digits < "5" ? "20" : "19") + digits }
        let parts = [(0, 4), (4, 2), (6, 2), (8, 2), (10, 2), (12, 2)].map { digits.dropFirst($0.0).prefix($0.1) }
        let text = "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z"
        return Timestamp(rfc3339: text)
    }
}
