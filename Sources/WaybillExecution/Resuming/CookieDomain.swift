import WaybillManifest
import WaybillPlan
import WaybillTransport

/// The domain of a cookie: which hosts receive it (RFC 6265, section 5.1.3).
enum CookieDomain {
    /// The domain of a `Set-Cookie` field that came from a URL: its host, or `.example.com` for all hosts of a domain.
    static func text(of field: String, from url: String) -> String {
        let domain = field.split(separator: ";").dropFirst().last { attribute in
            attribute.prefix { $0 != "=" }.filter { $0 != " " }.lowercased() == "domain"
        }
        let name = (domain?.drop { $0 != "=" }.dropFirst() ?? "").filter { $0 != " " && $0 != "\"" }.lowercased()
        let bare = name.hasPrefix(".") ? String(name.dropFirst()) : name
        return bare.isEmpty ? (try? Origin(ofURL: url))?.endpoint.host ?? "" : "." + bare
    }

    /// Whether a host receives the cookies of a domain. The URL of a request may not be known before it is sent: then
    /// the host is `nil`, which stands for any host.
    static func isSent(_ domain: String, to host: String?) -> Bool {
        guard let host, !domain.isEmpty else { return true }
        return host == domain || domain.hasPrefix(".") && (host == domain.dropFirst() || host.hasSuffix(domain))
    }
}

extension RequestPlan {
    /// Whether it uses the cookies of the run, which are not stored in a file.
    var usesOwnJar: Bool {
        switch settings[CookiePolicy.self]?.value {
        case .on, nil: true
        case .off, .jar: false
        }
    }

    /// The host that it is sent to; `nil` if that is only known during the run.
    var knownHost: String? {
        var text = settings[BaseURLSetting.self]?.value
        if case .url(let url) = address { text = url.value }
        return text?.constantText.flatMap { try? Origin(ofURL: $0) }?.endpoint.host
    }
}
