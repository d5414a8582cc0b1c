import Synchronization

/// The hosts to which a transport's own cookie jars may send cookies, collected from the responses that set cookies.
/// Domains are not validated, so there may be hosts that a jar does not accept.
final class CookieHosts: Sendable {
    private let domains = Mutex<Set<String>>([])

    /// Records the cookies of a response.
    func note(_ response: HTTPResponse, to request: HTTPRequest) {
        let cookies = response.headers.values(named: "Set-Cookie")
        guard !cookies.isEmpty, request.options.cookies != .off else { return }
        domains.withLock { $0.formUnion(cookies.map { CookieDomain.text(of: $0, from: request.url) }) }
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
            return domains.contains { CookieDomain.isSent($0, to: host) }
        }
    }
}
