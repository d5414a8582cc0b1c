import Synchronization

/// The hosts to which a transport's own cookie jars may send cookies, collected from the responses that set cookies.
/// Domains are not validated, so there may be hosts that a jar does not accept.
final class CookieHosts: Sendable {
    private let domains = Mutex<Set<String>>([])

    /// Records the cookies of a response.
    func note(_ response: HTTPResponse, to request: HTTPRequest) {
        let cookies = response.headers.values(named: "Set-Cookie")
        guard !cookies.isEmpty, request.options.cookies != .off, let origin = try? Origin(ofURL: request.url) else {
            return
        }
        for cookie in cookies {
            let named = cookie.split(separator: ";").dropFirst().lazy.compactMap { Self.domain(ofAttribute: $0) }.last
            _ = domains.withLock { $0.insert(named ?? origin.endpoint.host) }
        }
    }

    /// Whether a jar may add cookies to a request. True for a jar from a file, whose contents are unknown.
    func mayAddCookies(to request: HTTPRequest) -> Bool {
        switch request.options.cookies {
        case .off: return false
        case .jar: return true
        case .run, .separate: break
        }
        return domains.withLock { domains in
            guard !domains.isEmpty, let host = (try? Origin(ofURL: request.url))?.endpoint.host else { return false }
            return domains.contains { host == $0 || host.hasSuffix(".\($0)") }
        }
    }

    private static func domain(ofAttribute attribute: Substring) -> String? {
        let parts = attribute.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " }.lowercased() }
        guard parts.count == 2, parts[0] == "domain" else { return nil }
        let domain = parts[1].hasPrefix(".") ? String(parts[1].dropFirst()) : parts[1]
        return domain.isEmpty ? nil : domain
    }
}
