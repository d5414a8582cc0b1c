/// The domain of a cookie: which hosts receive it (RFC 6265, section 5.1.3).
package enum CookieDomain {
    /// The domain of a `Set-Cookie` field that came from a URL: its host, or `.example.com` for all hosts of a domain.
    package static func text(of field: String, from url: String) -> String {
        let domain = field.split(separator: ";").dropFirst().last { attribute in
            attribute.prefix { $0 != "=" }.filter { $0 != " " }.lowercased() == "domain"
        }
        let name = (domain?.drop { $0 != "=" }.dropFirst() ?? "").filter { $0 != " " && $0 != "\"" }.lowercased()
        let bare = name.hasPrefix(".") ? String(name.dropFirst()) : name
        return bare.isEmpty ? (try? Origin(ofURL: url))?.endpoint.host ?? "" : "." + bare
    }

    /// Whether a host receives the cookies of a domain. The URL of a request may not be known before it is sent: then
    /// the host is `nil`, which stands for any host.
    package static func isSent(_ domain: String, to host: String?) -> Bool {
        guard let host, !domain.isEmpty else { return true }
        return host == domain || domain.hasPrefix(".") && (host == domain.dropFirst() || host.hasSuffix(domain))
    }
}
