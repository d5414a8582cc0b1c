/// The domain of a cookie: which hosts receive it (RFC 6265, section 5.1.3).
package enum CookieDomain {
    /// The domain of a `Set-Cookie` field that came from a URL: its host, or `.example.com` for all hosts of a domain.
    package static func text(of field: String, from url: String) -> String {
        let domain = field.utf8.split(separator: UInt8(ascii: ";")).dropFirst().last { attribute in
            let name = attribute.prefix { $0 != UInt8(ascii: "=") }.filter { $0 != UInt8(ascii: " ") }
            return String(decoding: name, as: UTF8.self).lowercased() == "domain"
        }
        let value = domain?.drop { $0 != UInt8(ascii: "=") }.dropFirst() ?? ""[...].utf8
        let bytes = value.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") }
        let name = String(decoding: bytes, as: UTF8.self).lowercased()
        let bare = name.utf8.first == UInt8(ascii: ".") ? String(Substring(name.utf8.dropFirst())) : name
        // No host has a longer name.
        return bare.isEmpty || bare.utf8.count > 255 ? (try? Origin(ofURL: url))?.endpoint.host ?? "" : "." + bare
    }

    /// Whether a host receives the cookies of a domain. The URL of a request may not be known before it is sent: then
    /// the host is `nil`, which stands for any host.
    package static func isSent(_ domain: String, to host: String?) -> Bool {
        guard let host, !domain.isEmpty else { return true }
        return host == domain || domain.hasPrefix(".") && (host == domain.dropFirst() || host.hasSuffix(domain))
    }
}
